/// When a visit has seen enough blocks of a metric.
///
/// Between blocks_min and blocks_max blocks, until the 95 % interval of the mean over the blocks'
/// medians is within ± precision of it, or the budget of device time is spent. The width that was
/// reached says how good it is; what processes and nights add cannot be seen from here.
#pragma once

#include <vector>

#include "core/run/policy.h"

namespace plumbline {

class StoppingRule {
 public:
  explicit StoppingRule(const Policy& policy) : policy_(policy) {}

  /// A block's median, and the seconds of launches that it took.
  void add_block(double median_s, double spent_s);
  bool is_finished() const;
  /// It ended with a half width beyond the precision that was asked for, and beyond 1 %.
  bool is_imprecise() const;

 private:
  /// Half width of the 95 % interval of the mean, relative to it; infinite with one block.
  double relative_half_width() const;

  const Policy& policy_;
  std::vector<double> medians_s_;
  double spent_s_ = 0;
};

}  // namespace plumbline
