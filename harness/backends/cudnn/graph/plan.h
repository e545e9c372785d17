/// Which of the plans that cuDNN offers for a graph runs.
///
/// Knows plans as numbers and functions, so that the choice is tested without a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/op/plan_choice.h"

namespace plumbline::cudnn {

/// What cuDNN's heuristics offer for a graph, best guess first.
struct Candidates {
  std::int64_t count = 0;
  std::function<std::string(std::int64_t)> build;  // makes the plan ready; why it cannot be, or ""
  std::function<double(std::int64_t)> seconds;     // of one launch of a built plan; infinite: fails
};

/// The index of the plan, which is built. Throws Unsupported with cuDNN's reason where none can be,
/// and with the number of candidates where the index is beyond them.
std::int64_t choose_plan(const PlanChoice& choice, const Candidates& candidates);

}  // namespace plumbline::cudnn
