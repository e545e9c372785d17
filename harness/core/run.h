/// A run in memory: what was measured, where, and under which conditions.
///
/// Pure data. store/ reads and writes it, analysis/ judges it, reports/ shows it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/environment.h"
#include "core/policy.h"

namespace plumbline {

/// How the measuring of a case ended. Closed list; all but OK carry a reason in words.
/// OK and UNVERIFIED have samples, the others have none.
enum class Status {
  ok,
  wrong,
  unverified,
  unsupported,
  excluded,
  crashed,
  timeout,
  out_of_memory,
  throttled,
  interrupted,
};

inline constexpr std::array<std::string_view, 10> kStatusNames{
    "OK",      "WRONG",   "UNVERIFIED",    "UNSUPPORTED", "EXCLUDED",
    "CRASHED", "TIMEOUT", "OUT_OF_MEMORY", "THROTTLED",   "INTERRUPTED"};

constexpr std::string_view name_of(Status status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}
std::optional<Status> status_named(std::string_view name);

constexpr bool has_samples(Status status) {
  return status == Status::ok || status == Status::unverified;
}

/// What launches on the same inputs at the same place were seen to give.
inline constexpr std::string_view kRepeatsBitwise = "bitwise";
inline constexpr std::string_view kRepeatsVaries = "varies";

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

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

/// One row of results.csv: a metric of a case in one round (a visit has one row per metric), or a
/// case that has no samples (metric ""). Unknown numbers are kUnknown, written as empty fields.
struct ResultRow {
  std::string suite, case_id, op, backend, revision;
  std::string code;    // hash of the suite's code that ran (core/code_hash.h), "" = none, unknown
  std::string device;  // UUID
  Status status = Status::ok;
  std::string reason;
  std::string metric, unit;
  std::int64_t round = 0;            // from 0
  std::int64_t order = 0;            // position of the visit within its round, from 0
  std::string worker;                // process that measured: profile and process id
  std::int64_t part = 1, parts = 1;  // this row's number among the rows of its visit
  std::int64_t batch = 1;            // launches per sample
  double floor_s = kUnknown;         // subtracted from every raw reading
  SampleSet samples;
  std::vector<double> block_times_s;           // start of each block since the visit began
  std::vector<double> block_clocks_hz;         // SM clock of each block
  std::vector<std::int64_t> block_placements;  // equal numbers = the same place in memory
  std::vector<std::string> block_causes;  // why a block is set aside (thermal, …), "" = it counts
  double age_s = kUnknown;                // of the worker's memory when the visit began
  std::string timers;  // what other timers read of these launches: "name=seconds;…"
  double temperature_c = kUnknown, power_w = kUnknown;
  std::string throttle;                       // reasons that were active, '+' between them
  std::string kernels;                        // of one launch, JSON (store/README.md)
  std::string plan;                           // of the library that ran, JSON (store/README.md)
  std::vector<std::string> flags;             // doubts about this measurement, each a fixed name
  double flops = kUnknown, bytes = kUnknown;  // cost of one launch
  double error_rel_l2 = kUnknown, error_max_abs = kUnknown, tolerance = kUnknown;
  double error_max_ulp = kUnknown;  // in units in the last place of the expected element
  std::string repeats;              // kRepeats…, "" = it was not tried in this visit
  std::string spent;  // wall time of the visit by phase: "launch=0.12;prepare=0.001;…", seconds
};

/// A worker process of a run and what it measured of its device: seconds, bytes per second and
/// FLOP/s by name (event_floor_s, copy_bytes_per_s, matmul_float16_flops_per_s, …). Sentinels are
/// fixed pieces of work, timed before the first case and after the last: drift shows in them.
struct WorkerRecord {
  std::string name;  // as in ResultRow::worker
  std::int64_t round = 0;
  std::string started_at;  // ISO 8601 UTC
  std::map<std::string, double> calibration;
  std::map<std::string, double> sentinel_before, sentinel_after;
};

/// A file and the hash of its bytes.
struct FileRef {
  std::string path, hash;
  bool operator==(const FileRef&) const = default;
};

/// A suite file that took part in a run, and the files of code that it names.
struct SuiteRef {
  std::string name, path, hash;
  std::vector<FileRef> sources;  // kernels, plug-ins, extensions, and what these include or link
};

/// A failure that a suite expects of a case (`expect:`), and why.
struct ExpectedFailure {
  std::string suite, case_id;
  Status status = Status::wrong;
  std::string reason;
  std::string at;  // FILE:LINE of the expectation
  bool operator==(const ExpectedFailure&) const = default;
};

/// Who accepted a run as a baseline, and from what it was reduced.
struct Acceptance {
  std::string by, why, at;
  std::string source_hash;  // of the full run's results.csv
};

/// Raised when the meaning of a metric changes: runs of different revisions are NOT_JUDGED.
inline constexpr int kMeasurementRevision = 3;
/// Version of the file formats; older ones are read, newer ones refused.
inline constexpr int kFormatVersion = 1;

/// run.json.
struct RunInfo {
  int format = kFormatVersion;
  int measurement_revision = kMeasurementRevision;
  std::string plumbline;  // version of the program
  std::vector<std::string> command;
  std::vector<SuiteRef> suites;
  std::string started_at, finished_at;  // ISO 8601 UTC; finished_at "" while it is not finished
  std::string shard;                    // "i/n", or ""
  Policy policy;                        // the command line's; suites may override parts of it
  Environment environment;
  std::map<std::string, std::string> variables;  // that the workers of this side were given
  std::map<std::string, double> calibration;     // peaks measured on this device in this run
  std::vector<WorkerRecord> workers;
  std::optional<Acceptance> acceptance;   // baselines only
  std::vector<ExpectedFailure> expected;  // of the selected cases, on this device
};

struct Run {
  RunInfo info;
  std::vector<ResultRow> rows;
  std::string path;                   // where it was read from
  std::vector<std::string> warnings;  // e.g. a torn last row that was dropped
};

}  // namespace plumbline
