/// A run in memory: what was measured, where, and under which conditions.
///
/// Pure data. store/ reads and writes it, analysis/ judges it, reports/ shows it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/file_ref.h"
#include "core/run/environment.h"
#include "core/run/policy.h"
#include "core/run/result.h"

namespace plumbline {

/// A step of the program that a suite was recorded from; the suite's cases are calls in it.
struct RecordedStep {
  std::string name;
  std::vector<std::string> phases;
  double time_s = kUnknown;  // of one step of the program
  double busy_s = kUnknown;  // time in it that the GPU was busy; unknown on a CPU
};

/// By phase: how often a step calls a case.
using CallsByPhase = std::map<std::string, double>;

/// A suite file of a run, and the files that it names. What the suite says about single cases
/// is kept with the run, because the file may change later.
struct SuiteRef {
  std::string name, path, hash;
  std::vector<FileRef> sources{};    // shapes, kernels, plug-ins, extensions, what these include
  std::vector<std::string> cases{};  // ids as declared, all or the shard's; empty in a baseline
  std::vector<std::int64_t> positions{};         // of a shard: of each of `cases` among all, from 0
  std::map<std::string, double> thresholds{};    // by case: the slowdown that counts, as a fraction
  std::map<std::string, std::string> renames{};  // old id -> current id
  std::vector<RecordedStep> steps{};             // of the program that the suite was recorded from
  std::map<std::string, CallsByPhase> calls{};   // by case
};

/// What the user asked for, as values; resuming a run compares them.
struct Asked {
  std::vector<std::string> suites;  // files, absolute paths
  std::vector<std::string> set;     // axis=value
  std::vector<std::string> filters, tags, cases;
  std::map<std::string, std::string> policy;  // measurement options that the command line overrides
  std::string device;                         // as the user named it
  std::vector<std::string> extensions;        // absolute paths

  /// Whether it asks for all cases of the suites.
  bool selects_all() const {
    return set.empty() && filters.empty() && tags.empty() && cases.empty();
  }
  bool operator==(const Asked&) const = default;
};

/// A failure that a suite expects of a case (`expect:`), and why.
struct ExpectedFailure {
  std::string suite, case_id;
  Status status = Status::wrong;
  std::string reason;
  std::string at;  // FILE:LINE of the expectation
  bool operator==(const ExpectedFailure&) const = default;
};

/// A shard of a merged run (`plumbline merge`): what the record of the whole does not say.
struct MergedShard {
  std::string shard;   // "3/8"
  std::string folder;  // name of its run directory
  std::string started_at, finished_at;
  std::string results_hash;  // of its results.csv
  std::vector<std::string> device_uuids;
  std::map<std::string, std::string> environment;  // entries in which the shards differ, by name
  std::map<std::string, double> calibration;       // peaks measured on its device
  bool operator==(const MergedShard&) const = default;
};

/// Who accepted a run as a baseline, and the run that it was made from.
struct Acceptance {
  std::string by, why, at;
  std::string source_hash;   // of the full run's results.csv
  std::string even_so = {};  // why it was accepted although a third of its cases were blind
};

/// Raised when the meaning of a metric changes: runs of different revisions are NOT_JUDGED.
inline constexpr int kMeasurementRevision = 4;
/// Version of the file formats; older versions are read, newer ones refused.
inline constexpr int kFormatVersion = 1;

/// run.json.
struct RunInfo {
  int format = kFormatVersion;
  int measurement_revision = kMeasurementRevision;
  std::string plumbline;             // version of the program
  std::vector<std::string> command;  // for people to read
  std::optional<Asked> asked;        // none: imported, or of an earlier Plumbline
  std::vector<SuiteRef> suites;
  std::string started_at, finished_at;  // ISO 8601 UTC; finished_at "" until it is finished
  std::string shard;                    // "i/n", or ""
  std::string balanced_by;              // hash of the results whose times made the shards, or ""
  std::int64_t selected_cases = 0;      // of all shards; 0: not recorded
  std::int64_t planned_visits = 0;      // of this run, when it started; 0: not recorded
  std::vector<MergedShard> shards;      // of a merged run; those that are not here are missing
  Policy policy;                        // the command line's; suites may override parts of it
  Environment environment;  // of a merged run: what its shards have in common, and all devices
  std::map<std::string, std::string> variables;  // given to the workers of this side
  // For metrics that Plumbline does not know: "more" or "less" (core/run/direction.h).
  std::map<std::string, std::string> better;
  std::map<std::string, double> calibration;  // peaks measured on this device in this run
  std::vector<WorkerRecord> workers;
  std::optional<Acceptance> acceptance;   // baselines only
  std::vector<ExpectedFailure> expected;  // of the selected cases, on this device
  std::vector<std::string> redacted;      // of a redacted copy: each field, and what became of it
};

struct Run {
  RunInfo info;
  std::vector<ResultRow> rows;
  std::string path;                   // where it was read from
  std::vector<std::string> warnings;  // e.g. a torn last row that was dropped
};

}  // namespace plumbline
