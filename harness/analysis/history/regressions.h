/// Regressions of a case over its runs: since which run, how large, and what became of each.
///
/// A regression is a step to a worse level, one that was confirmed (SLOWER) before a step can be
/// placed, a drift, which no commit began, or a case that fails since. It stays open until a run is
/// back at the level before, or somebody acknowledged or accepted it, whatever later runs say of
/// their neighbours. One that later runs of its suite no longer measure is told apart from the open
/// ones. A step that came with another device is no commit's and none. Pure: knows no
/// files and no clock.
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

/// An entry of the ledger; `device_class`: of the baselines that it is about, "" = any.
struct Acknowledgement {
  LedgerEntry entry;
  std::string device_class;
};

/// What people decided. `today`: a date; entries that end before it are over.
struct Decisions {
  std::vector<Acknowledgement> ledger;
  std::vector<AcceptedRun> accepted;
  std::string today;
};

struct Regression {
  RegressionKind kind = RegressionKind::step;
  std::size_t from = 0;  // index of the first run that shows it
  std::optional<std::size_t> back =
      {};                        // of the run that is back at the level before, or runs again
  double change = 0;             // a fraction with its sign: what is left of it, or was
  double before = 0, after = 0;  // levels, in the series' unit; of what fails: unknown
  std::optional<std::size_t> left = {};  // of the run since which it is no longer measured
  std::optional<LedgerEntry> entry = {};
  std::optional<AcceptedRun> accepted = {};

  RegressionState state() const;
};

/// In the order of their first runs. `verdicts`: of each value, a word of kVerdictNames or "".
/// None of a metric that nobody knows which way is better.
std::vector<Regression> regressions_of(const std::vector<PastRun>& runs, const Series& series,
                                       const SeriesReading& reading,
                                       std::span<const std::string_view> verdicts,
                                       const Decisions& decisions);

/// Stretches of runs in which a case fails that had a time before. `outcomes`: run and status, in
/// the order of time; what was left out or interrupted says nothing.
std::vector<Regression> breakages_of(const std::vector<PastRun>& runs, std::string_view suite,
                                     std::string_view case_id,
                                     std::span<const std::pair<std::size_t, Status>> outcomes,
                                     const Decisions& decisions);

/// A run that holds a suite on a class of devices, and how many of its cases it has.
struct SuiteSize {
  std::size_t run = 0, cases = 0;
};

/// The first run without what `last` was the last to hold; none where later runs say nothing of it.
/// A run of fewer than half of the cases of those before is one of chosen cases and says nothing.
/// `runs`: of the suite and class, in the order of time; `last` is one of them.
std::optional<std::size_t> left_with(std::span<const SuiteSize> runs, std::size_t last);

}  // namespace plumbline
