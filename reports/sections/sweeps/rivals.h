/// Backends that solved the same problem: which is the best, and how far the others are from it.
///
/// Knows no picture: sweeps.js draws what is decided here.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/estimate/ratio.h"
#include "reports/model.h"

namespace plumbline {

/// A row of which another backend solved the problem too: same suite, metric, name and parameters
/// except for the library's plan.
struct Rival {
  std::size_t row = 0, best = 0;  // numbers of model.cases; the best is a rival of itself
  Ratio times;                    // as bad as the best, from 1 on; its 99 % interval over visits

  /// Whether the interval says that it is not as good as the best.
  bool is_behind() const { return times.low && *times.low > 1; }
};

/// In the order of `model.cases`.
std::vector<Rival> make_rivals(const ReportModel& model);

}  // namespace plumbline
