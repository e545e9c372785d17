/// Compares backends that solved the same problem: which is best, by how much.
///
/// Draws nothing: sweeps.js draws these results.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/estimate/ratio.h"
#include "reports/model.h"

namespace plumbline {

/// A row whose problem another backend solved too: same suite, metric, name and parameters, except
/// for the library's plan.
struct Rival {
  std::size_t row = 0, best = 0;  // row numbers in model.cases; the best row is its own rival
  Ratio times;                    // how many times worse than the best, at least 1; 99 % interval

  /// True if the interval shows that it is worse than the best.
  bool is_behind() const { return times.low && *times.low > 1; }
};

/// In the order of `model.cases`.
std::vector<Rival> make_rivals(const ReportModel& model);

}  // namespace plumbline
