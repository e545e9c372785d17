/// Which of a library's execution plans a case runs: the parameter `plan`, typed.
///
/// cuDNN offers several plans for one graph, its heuristics' best guess first; an op's custom
/// kernels are listed in the same way. LibTorch chooses by itself. Knows no cuDNN.
#pragma once

#include <cstdint>
#include <string>

#include "core/op/op_spec.h"

namespace plumbline {

struct PlanChoice {
  enum class Kind {
    heuristic,  // the first that can be built
    autotune,   // the fastest of all, timed before anything is measured
    index,      // that one
  };
  Kind kind = Kind::heuristic;
  std::int64_t index = 0;
};

/// The parameter `plan` of every op.
const ParamSpec& plan_param();

/// Heuristic where the parameter is missing.
PlanChoice plan_choice(const Params& params);

/// Why no plan can be chosen on that backend; "" where one can, or none is asked for.
std::string unplannable(const std::string& backend, const Params& params);

}  // namespace plumbline
