/// When a visit has measured enough blocks of a metric.
///
/// Stops between blocks_min and blocks_max blocks: as soon as the 95 % interval of the mean of the
/// blocks' medians is within ± precision, or when the budget of device time is spent. The reached
/// width tells the precision. It does not include the variance of processes and nights, which one
/// visit cannot see.
#pragma once

#include <vector>

#include "core/run/policy.h"

namespace plumbline {

class StoppingRule {
 public:
  explicit StoppingRule(const Policy& policy) : policy_(policy) {}

  /// A block's median, and the seconds of its launches.
  void add_block(double median_s, double spent_s);
  bool is_finished() const;
  /// Stopped with a half width above the requested precision and above 1 %.
  bool is_imprecise() const;

 private:
  /// Half width of the 95 % interval of the mean, relative to it; infinite with one block.
  double relative_half_width() const;

  const Policy& policy_;
  std::vector<double> medians_s_;
  double spent_s_ = 0;
};

}  // namespace plumbline
