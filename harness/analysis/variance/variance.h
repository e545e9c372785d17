/// Where the scatter of a case × metric comes from: launches, placement in memory, order within the
/// visit, process, run, device.
///
/// Model of a block's median, relative to its visit's mean (of visits: logarithms, as estimates
/// are compared):
///   1 + device + run(device) + process(run, visit) + slope(visit) × time + placement(visit) +
///   block,
/// where `block` is the variation between blocks at the same placement, including what launches
/// leave in a median. Variances use the method of moments: sums of squares are set equal to their
/// expectations, whose coefficients follow from the sizes (Henderson 1953, unequal sizes). So no
/// distribution is assumed. A negative variance is shown as 0; one that the data do not show is
/// kUnknown. Pure: knows results, but not files or how a table is shown.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "core/run/run.h"

namespace plumbline {

enum class Level { launch, revisit, placement, block, process, run, device };

inline constexpr std::array<std::string_view, 7> kLevelNames{
    "launch", "revisit", "placement", "block", "process", "run", "device"};
constexpr std::string_view name_of(Level level) {
  return kLevelNames[static_cast<std::size_t>(level)];
}

/// One level. Variances are relative (of value / estimate, without unit).
struct Component {
  double variance = kUnknown;     // from one unit of the level to the next
  double df = 0;                  // degrees of freedom; below 1 the variance is not reported
  double in_estimate = kUnknown;  // what it adds to the variance of one run's estimate; for `block`
                                  // only if revisits and placements are not separated
  double sd() const;
};

/// A straight line over the time since the visit began, fitted to each visit with at least four
/// blocks. A trend that visits of equal length share does not affect ratios of runs; its effect in
/// visits of unequal length is part of `process`.
struct Trend {
  double per_second = kUnknown;  // mean over visits, relative to the estimate
  double change = kUnknown;      // from the first block of a visit to the last, mean over visits
  double error = kUnknown;       // standard error of `change`: between visits, or of one fit
  std::size_t rising = 0, falling = 0;  // visits
  double sign_p = kUnknown;             // two-sided sign test over them
  double variance = kUnknown;  // of a visit's blocks, explained by lines beyond chance; df = visits
};

struct CaseVariance {
  std::string suite, case_id, revision, metric, unit;
  std::size_t visits = 0, blocks = 0, samples = 0;  // that count
  std::size_t set_aside = 0;                        // blocks that do not count
  std::vector<double> estimates;                    // of each run; kUnknown if it has none
  double estimate = kUnknown;                       // geometric mean over runs
  std::string reason;                               // why no spreads are reported, or ""
  /// By Level.
  ///   launch     within a block, robust: from the median of |difference| of its samples
  ///   revisit    between blocks at one placement of a visit, launches' share included
  ///   placement  between placements of a visit, beyond `revisit`
  ///   block      between blocks of a visit: both together, also reported without revisits
  ///   process    between visits of a run, beyond what blocks explain; includes placement if a
  ///              visit has only one
  ///   run        between runs of a device, beyond what visits explain
  ///   device     between devices (UUIDs) of the class, beyond runs; known if two devices were
  ///              measured, one of them twice, and each run names its device
  std::array<Component, kLevelNames.size()> levels;
  Trend trend;
  std::size_t devices = 0;  // number of devices; 0: some run does not name its device
  /// True if `run` includes the difference between devices: there are several, with one run each.
  bool run_holds_devices = false;
  /// The known level that adds most to the variance of an estimate; `block` replaces revisits and
  /// placements if these cannot be separated. Nothing if all add 0.
  std::optional<Level> dominant;

  const Component& of(Level level) const { return levels[static_cast<std::size_t>(level)]; }
  Component& of(Level level) { return levels[static_cast<std::size_t>(level)]; }
};

/// One run's part of a case × metric; without rows if it has none.
struct VarianceInput {
  MetricRows rows;
  std::string device;  // UUID, "" if unknown
};

/// The variance of one case × metric, from each run's part. Blocks that were set aside are left
/// out. Identity stays empty except for metric and unit.
CaseVariance case_variance(std::span<const VarianceInput> runs);

/// One row for every case × metric of the runs, by suite and case like the findings of a
/// comparison; metrics of a case by first appearance. Matched by suite, case, revision, metric and
/// unit. Throws Error if runs have different device classes or measurement revisions.
std::vector<CaseVariance> variance_table(std::span<const Run> runs);

/// Medians over the cases of a metric that are known.
struct MetricVariance {
  std::string metric;
  std::size_t cases = 0;
  std::array<double, kLevelNames.size()> sd{};                 // by Level; kUnknown if unknown
  double trend = kUnknown;                                     // of |change|
  std::array<std::size_t, kLevelNames.size()> dominated_by{};  // cases by Level
};

/// In the order of first appearance of the metrics.
std::vector<MetricVariance> variance_by_metric(std::span<const CaseVariance> table);

}  // namespace plumbline
