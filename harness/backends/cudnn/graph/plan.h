/// Chooses which of cuDNN's plans for a graph runs.
///
/// Knows plans only as numbers and functions, so that tests of the choice need no GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/op/plan_choice.h"

namespace plumbline::cudnn {

/// What cuDNN's heuristics offer for a graph, best guess first.
struct Candidates {
  std::int64_t count = 0;
  std::function<std::string(std::int64_t)> build;  // makes the plan ready; returns "" or why not
  std::function<double(std::int64_t)> seconds;     // of one launch of a built plan; infinite if it
                                                   // fails
};

/// Returns the index of the plan, which is then built. Throws Unsupported with cuDNN's reason if
/// none can be built, and with the number of candidates if the index is too high.
std::int64_t choose_plan(const PlanChoice& choice, const Candidates& candidates);

}  // namespace plumbline::cudnn
