/// Which execution plan of a library a case runs: the parameter `plan`, typed.
///
/// cuDNN offers several plans for one graph, the best guess of its heuristics first. An op's custom
/// kernels are listed in the same way. LibTorch chooses by itself. Knows no cuDNN.
#pragma once

#include <cstdint>
#include <string>

#include "core/op/op_spec.h"

namespace plumbline {

struct PlanChoice {
  enum class Kind {
    heuristic,  // the first plan that can be built
    autotune,   // the fastest plan, timed before anything is measured
    index,      // the plan with that index
  };
  Kind kind = Kind::heuristic;
  std::int64_t index = 0;
};

/// The parameter `plan` of every op.
const ParamSpec& plan_param();

/// Heuristic if the parameter is missing.
PlanChoice plan_choice(const Params& params);

/// Why that backend has no plan to choose; "" where it has, or the parameter is at its default.
std::string unplannable(const std::string& backend, const Params& params);

}  // namespace plumbline
