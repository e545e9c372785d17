/// What was measured: a metric, a visit, a row of results.csv. The same structs go from the sampler
/// through the protocol into files.
///
/// Pure data.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "core/unknown.h"

namespace plumbline {

/// Whether repeated launches on the same inputs at the same place gave the same bits.
inline constexpr std::string_view kRepeatsBitwise = "bitwise";
inline constexpr std::string_view kRepeatsVaries = "varies";

/// Samples of one metric in one visit, in the order in which they were taken, by block.
class SampleSet {
 public:
  void add_block(std::span<const double> samples);
  std::size_t blocks() const { return ends_.size(); }
  std::span<const double> block(std::size_t i) const;
  std::span<const double> values() const { return values_; }
  bool empty() const { return values_.empty(); }
  bool operator==(const SampleSet&) const = default;

 private:
  std::vector<double> values_;
  std::vector<std::uint32_t> ends_;
};

/// Seconds by name.
using NamedSeconds = std::map<std::string, double>;

/// One metric of a visit, as sampled. Unknown numbers are kUnknown.
struct MeasuredMetric {
  std::string metric, unit;
  std::int64_t batch = 1;     // launches per sample
  double floor_s = kUnknown;  // subtracted from every raw reading
  SampleSet samples;
  std::vector<double> block_times_s;           // start of each block since the visit began
  std::vector<double> block_clocks_hz;         // SM clock of each block
  std::vector<std::int64_t> block_placements;  // equal numbers = the same place in memory
  std::vector<std::string> block_causes;  // why a block is set aside (thermal, …), "" = it counts
  NamedSeconds timers_s;                  // medians that other timers read for these launches
  double temperature_c = kUnknown, power_w = kUnknown;
  std::string throttle;            // reasons that were active, '+' between them
  std::vector<std::string> flags;  // doubts about this measurement, each a fixed name

  /// Adds the flag unless it is already there.
  void add_flag(std::string_view flag);
};

/// What holds for all metrics of a visit.
struct VisitOutcome {
  Status status = Status::ok;
  std::string reason;
  std::string kernels;                        // of one launch, JSON (store/README.md)
  std::string plan;                           // of the library that ran, JSON (store/README.md)
  double age_s = kUnknown;                    // of the worker's memory when the visit began
  double flops = kUnknown, bytes = kUnknown;  // cost of one launch
  double error_rel_l2 = kUnknown, error_max_abs = kUnknown, tolerance = kUnknown;
  double error_max_ulp = kUnknown;  // in units in the last place of the expected element
  std::string repeats;              // kRepeats…, "" = not tried in this visit
  NamedSeconds spent_s;             // wall time of the visit by phase, and of launching
};

/// What a baseline keeps of the blocks of a visit; its samples then hold one value, their mean.
struct ReducedBlocks {
  std::size_t count = 0, set_aside = 0;
  double sd = kUnknown;    // between their medians, as a fraction of the mean; unknown for one
  double tail = kUnknown;  // log(p95 / median); unknown for too few samples
  double step = 0;         // smallest difference between their medians; 0: they are equal
};

/// One row of results.csv: one metric of a case in one round, so a visit has a row per metric. A
/// case without samples has one row, with metric "".
struct ResultRow : VisitOutcome, MeasuredMetric {
  std::string suite, case_id, op, backend, revision;
  std::string code;        // hash of the suite's code that ran (schedule/rows.cpp), "" = none
  std::string device;      // UUID
  std::int64_t round = 0;  // from 0
  std::int64_t order = 0;  // position of the visit within its round, from 0
  std::string worker;      // process that measured: profile and process id
  std::int64_t part = 1, parts = 1;              // this row's number among the rows of its visit
  std::shared_ptr<const ReducedBlocks> reduced;  // only in baselines, since a run has 10⁵ rows
};

/// Numbers the rows of one visit (part, parts).
void number_rows(std::span<ResultRow> visit);

/// A worker process of a run, and what it measured on its device: seconds, bytes per second and
/// FLOP/s by name (event_floor_s, copy_bytes_per_s, matmul_float16_flops_per_s, …). Sentinels are
/// fixed pieces of work, timed before the first case and after the last: they show drift.
/// `start_s`: seconds by step of the worker's start, after its libraries were loaded.
struct WorkerRecord {
  std::string name;  // as in ResultRow::worker
  std::int64_t round = 0;
  std::string started_at;  // ISO 8601 UTC
  std::map<std::string, double> calibration;
  std::map<std::string, double> sentinel_before, sentinel_after;
  int measurement_revision = 0;  // of the worker (core/run/run.h); 0 = unknown
  std::map<std::string, double> start_s;
};

}  // namespace plumbline
