#include "backends/cudnn/graph/plan.h"

#include <limits>

#include "backends/implementation.h"

namespace plumbline::cudnn {
namespace {

std::string offered(std::int64_t count) {
  return "cuDNN offers " + std::to_string(count) + (count == 1 ? " plan" : " plans") +
         (count == 0 ? "" : ", 0 to " + std::to_string(count - 1));
}

std::int64_t first_built(const Candidates& candidates) {
  std::string reason = offered(candidates.count);
  for (std::int64_t i = 0; i < candidates.count; ++i) {
    const std::string mistake = candidates.build(i);
    if (mistake.empty()) return i;
    reason = "none of " + std::to_string(candidates.count) +
             " plans can be built, the last because: " + mistake;
  }
  throw Unsupported(reason);
}

std::int64_t fastest(const Candidates& candidates) {
  const std::int64_t first = first_built(candidates);
  std::int64_t best = first;
  double least_s = std::numeric_limits<double>::infinity();
  for (std::int64_t i = first; i < candidates.count; ++i) {
    if (i > first && !candidates.build(i).empty()) continue;
    const double seconds = candidates.seconds(i);
    if (!(seconds < least_s)) continue;
    least_s = seconds;
    best = i;
  }
  return best;
}

std::int64_t chosen(std::int64_t index, const Candidates& candidates) {
  const std::string which = "plan=" + std::to_string(index) + ": ";
  if (index >= candidates.count) throw Unsupported(which + offered(candidates.count));
  if (const std::string mistake = candidates.build(index); !mistake.empty())
    throw Unsupported(which + mistake);
  return index;
}

}  // namespace

std::int64_t choose_plan(const PlanChoice& choice, const Candidates& candidates) {
  switch (choice.kind) {
    case PlanChoice::Kind::heuristic:
      break;
    case PlanChoice::Kind::autotune:
      return fastest(candidates);
    case PlanChoice::Kind::index:
      return chosen(choice.index, candidates);
  }
  return first_built(candidates);
}

}  // namespace plumbline::cudnn
