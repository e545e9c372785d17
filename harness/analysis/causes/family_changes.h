/// How the cases of each op changed as a whole, for each library that computes it: what an upgrade
/// of libraries did.
///
/// Pure. Says nothing that the findings do not say; a case counts once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// The cases of one op on one backend.
struct FamilyChange {
  std::string op, backend;
  std::size_t cases = 0;                         // with a time on both sides
  std::size_t slower = 0, faster = 0, same = 0;  // by their worst verdict
  std::size_t broken = 0, others = 0;            // others: not resolved, not judged
  double change = 0;                             // a fraction: weighted by calls, if the cases are
                                                 // of a step, else their geometric mean
  std::optional<double> half_width{};            // of it, if each case has an interval
  double low = 0, high = 0;                      // smallest and largest change of a case
  /// All calls of the op in the steps of captured programs, in seconds; 0 without a step.
  double step_baseline_s = 0, step_candidate_s = 0;

  double step_added_s() const { return step_candidate_s - step_baseline_s; }
};

/// Broken families first; then, of a step, by what they add to it, else those with a verdict and by
/// the size of their change. A case counts with the time of case_times.h; errors of cases count as
/// independent of one another, and intervals have the level of the findings.
std::vector<FamilyChange> family_changes(const Comparison& comparison);

/// True if the sides of pairs have other versions of a library that computes ops.
bool compares_libraries(const Comparison& comparison);

}  // namespace plumbline
