/// What a measured time means: FLOP/s, bytes per second, and their shares of what this device was
/// calibrated to reach in the same run. A higher rate casts doubt on the measurement. A much higher
/// one is a finding: the launch did not do the work that the case declares.
///
/// Computed from rows and run.json on demand; pure, stores nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/run_part.h"
#include "analysis/estimate/estimate.h"
#include "core/run/run.h"

namespace plumbline {

inline constexpr std::string_view kFlagBandwidthAbovePeak = "bandwidth above peak";
inline constexpr std::string_view kFlagBusAbovePeak = "bus rate above peak";
inline constexpr std::string_view kFlagFlopsAbovePeak = "FLOP rate above peak";
inline constexpr std::string_view kFlagFasterThanDevice = "faster than the device";

struct Achieved {
  double flops_per_s = kUnknown, bytes_per_s = kUnknown;  // algorithmic minimum / time
  double flops_share = kUnknown;  // of the calibrated matmul rate of the case's dtype
  double bytes_share = kUnknown;  // of the calibrated copy bandwidth; above 1 where L2 helps. For a
                                  // copy between host and device: of the calibrated bus bandwidth
  double flops_peak = kUnknown;   // the calibrated matmul rate, and its dtype
  std::string flops_dtype;
  std::vector<std::string_view> flags;
  std::string beyond;  // with kFlagFasterThanDevice: the limit that it exceeds, in words

  /// Share of the nearer of the two limits, a fraction; kUnknown without calibration or cost.
  double share() const;
};

/// A value of run.json's calibration and its uncertainty (the sibling `<name>_uncertainty`, in the
/// same unit; 0 if missing). Unknown if there is no value.
struct Calibrated {
  double value = kUnknown, uncertainty = 0;
};
/// `device`: UUID; "" = the run's.
Calibrated calibrated(const RunInfo& info, const std::string& name, std::string_view device = "");

/// For a metric that is the time of one launch, or of several from fork to join (their cost is then
/// that of all). Everything is unknown for other metrics.
///
/// A flag needs the rate at the upper end of the time's 99 % interval to exceed the peak plus its
/// uncertainty. For the bandwidth, only bytes that must cross the memory bus count. Cold: every
/// line that is read crosses, and at most L2 of what is written stays there: bytes - L2. Hot: a
/// line that stays in L2 is neither read nor written back: bytes - 2 × L2. With an unknown L2 size,
/// no claim is made. The bus is calibrated with one size of copies, so one percent more is
/// accepted. A launch is faster than the device if it exceeds the bandwidth by another 5 %, or the
/// FLOP rate by 25 %: some products ran up to 3 % faster than the calibrated one on an H100, and
/// inputs that draw less power run at higher clocks.
Achieved achieved(const MetricRows& metric, const Estimate& time, const RunInfo& info);

/// The part of the run that bounds a launch of `time_s`: the calibrated limit that its cost needs
/// most time at, if that explains at least half of the time. A launch far from both limits moves
/// with neither. Hot: only bytes that L2 cannot hold count. `whole` if the metric, its cost or the
/// calibration gives no answer.
RunPart run_part(const MetricRows& metric, double time_s, const RunInfo& info);

}  // namespace plumbline
