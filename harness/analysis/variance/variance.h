/// Where the scatter of a case × metric comes from: launches, placement in memory, order within the
/// visit, process, run, device.
///
/// Model of a block's median, relative to its visit's mean (of visits: logarithms, as estimates
/// are compared):
///   1 + device + run(device) + process(run, visit) + slope(visit) × time + placement(visit) +
///   block,
/// where `block` is what moves between blocks at the same placement and holds what launches leave
/// in a median. Variances are by the method of moments: sums of squares are set equal to their
/// expectations, whose coefficients follow from the sizes (Henderson 1953, unequal sizes), so that
/// no distribution is assumed. A variance that comes out negative is shown as 0; one that the data
/// cannot tell is kUnknown. Pure: knows results, neither files nor how a table is shown.
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
  double df = 0;                  // degrees of freedom behind it; below 1 it is not told
  double in_estimate = kUnknown;  // what it adds to the variance of one run's estimate; of `block`
                                  // only where revisits and placements are not told apart
  double sd() const;
};

/// Straight line over the time since the visit began, fitted to each visit of four blocks or more.
/// A trend that visits of equal length share moves no ratio of runs; what it makes of unequal ones
/// is in `process`.
struct Trend {
  double per_second = kUnknown;  // mean over visits, relative to the estimate
  double change = kUnknown;      // from the first block of a visit to the last, mean over visits
  double error = kUnknown;       // standard error of `change`: between visits, else of the one fit
  std::size_t rising = 0, falling = 0;  // visits
  double sign_p = kUnknown;             // two-sided sign test over them
  double variance = kUnknown;  // of a visit's blocks, that lines explain beyond chance; df = visits
};

struct CaseVariance {
  std::string suite, case_id, revision, metric, unit;
  std::size_t visits = 0, blocks = 0, samples = 0;  // that count
  std::size_t set_aside = 0;                        // blocks that do not
  std::vector<double> estimates;                    // of each run; kUnknown where it has none
  double estimate = kUnknown;                       // geometric mean over runs
  std::string reason;                               // why nothing is told of spreads, or ""
  /// By Level.
  ///   launch     within a block, robust: from the median of |difference| of its samples
  ///   revisit    between blocks at one placement of a visit, launches' share included
  ///   placement  between placements of a visit, beyond `revisit`
  ///   block      between blocks of a visit: both together, told without revisits too
  ///   process    between visits of a run, beyond what blocks explain; where a visit has one
  ///              placement only, that too
  ///   run        between runs of a device, beyond what visits explain
  ///   device     between devices (UUIDs) of the class, beyond runs; known where two devices were
  ///              measured and one of them twice, and each run says which it is of
  std::array<Component, kLevelNames.size()> levels;
  Trend trend;
  std::size_t devices = 0;  // that the runs are of; 0: one does not say
  /// Whether `run` holds what devices differ by: they are several, each with one run.
  bool run_holds_devices = false;
  /// The level that adds most to the variance of an estimate, of those that are known; `block`
  /// stands in where revisits and placements cannot be told apart. Nothing where all add 0.
  std::optional<Level> dominant;

  const Component& of(Level level) const { return levels[static_cast<std::size_t>(level)]; }
  Component& of(Level level) { return levels[static_cast<std::size_t>(level)]; }
};

/// One run's part of a case × metric: no rows where it has none.
struct VarianceInput {
  MetricRows rows;
  std::string device;  // UUID, "" where it is not known
};

/// Of one case × metric: what each of the runs holds of it. Blocks that are set aside are left out.
/// Identity is left empty except for metric and unit.
CaseVariance case_variance(std::span<const VarianceInput> runs);

/// Of every case × metric of the runs, by suite and case as the findings of a comparison, the
/// metrics of a case as they first appear; matched by suite, case, revision, metric and unit.
/// Throws Error where runs are of different device classes or measurement revisions.
std::vector<CaseVariance> variance_table(std::span<const Run> runs);

/// Over the cases of a metric: medians of what is known.
struct MetricVariance {
  std::string metric;
  std::size_t cases = 0;
  std::array<double, kLevelNames.size()> sd{};                 // by Level; kUnknown where none is
  double trend = kUnknown;                                     // of |change|
  std::array<std::size_t, kLevelNames.size()> dominated_by{};  // cases by Level
};

/// In the order in which the metrics first appear.
std::vector<MetricVariance> variance_by_metric(std::span<const CaseVariance> table);

}  // namespace plumbline
