/// Regressions of a case over its runs: since which run, how large, and the current state of each.
///
/// A regression is one of: a step to a worse level; a confirmed SLOWER that cannot be placed as a
/// step yet; a drift, which no single commit began; a case that fails. It stays open until a run is
/// back at the previous level, or until somebody acknowledges or accepts it; verdicts of later runs
/// against each other do not close it. If later runs of its suite no longer measure it, it is
/// listed separately. A step that came with another device is not caused by a commit and is no
/// regression. Pure: knows no files and no clock.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/compare/ledger.h"
#include "analysis/history/history.h"
#include "core/status.h"

namespace plumbline {

enum class RegressionKind { step, drift, broken };
enum class RegressionState { open, unmeasured, acknowledged, accepted, fixed };

/// A run that was accepted into the baseline of its suite and device class.
struct AcceptedRun {
  std::string device_class, suite, started_at;
  std::string by, why, at;
};

/// An entry of the ledger; `device_class`: of the baselines that it applies to, "" = any.
struct Acknowledgement {
  LedgerEntry entry;
  std::string device_class;
};

/// What people decided. `today`: a date; entries that end before it have expired.
struct Decisions {
  std::vector<Acknowledgement> ledger;
  std::vector<AcceptedRun> accepted;
  std::string today;
};

struct Regression {
  RegressionKind kind = RegressionKind::step;
  std::size_t from = 0;                  // index of the first run that shows it
  std::optional<std::size_t> back = {};  // index of the first run that is good again
  double change = 0;                     // a fraction with its sign; if fixed, the former size
  double before = 0, after = 0;          // levels, in the series' unit; unknown for failures
  std::optional<std::size_t> left = {};  // index of the first run that no longer measures it
  std::optional<LedgerEntry> entry = {};
  std::optional<AcceptedRun> accepted = {};

  RegressionState state() const;
};

/// In the order of their first runs. `verdicts`: for each value, a word of kVerdictNames or "".
/// Empty if it is unknown which way the metric is better.
std::vector<Regression> regressions_of(const std::vector<PastRun>& runs, const Series& series,
                                       const SeriesReading& reading,
                                       std::span<const std::string_view> verdicts,
                                       const Decisions& decisions);

/// Series of runs in which a case fails that had a time before. `outcomes`: run and status, in
/// order of time; excluded or interrupted runs are ignored.
std::vector<Regression> breakages_of(const std::vector<PastRun>& runs, std::string_view suite,
                                     std::string_view case_id,
                                     std::span<const std::pair<std::size_t, Status>> outcomes,
                                     const Decisions& decisions);

/// A run with a suite on a class of devices, and the number of its cases.
struct SuiteSize {
  std::size_t run = 0, cases = 0;
};

/// The first run without what run `last` still had; nothing if no later run shows that. Runs with
/// fewer than half of the cases of those before are partial runs and are ignored. `runs`: of the
/// suite and class, in order of time; `last` is one of them.
std::optional<std::size_t> left_with(std::span<const SuiteSize> runs, std::size_t last);

}  // namespace plumbline
