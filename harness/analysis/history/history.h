/// A case over its runs: when it changed, whether it drifts, and how it stands against yesterday
/// and against an anchor.
///
/// A series holds runs of one device class, one meaning of the metrics and one revision of the
/// problem, in the order of time: what is not comparable starts a series of its own. Changes are
/// looked for in the logarithms (E-divisive with permutation tests, and what the last few runs say
/// that it cannot search, less what memory explains and what cuts a slow change: a ramp without a
/// jump), the drift is Theil & Sen's slope with Mann & Kendall's test, corrected for
/// autocorrelation (Hamed & Rao 1998), within what follows the last change. Pure: knows summaries
/// of runs, no files.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "analysis/estimate/mode_weights.h"
#include "analysis/variance/other_device.h"
#include "core/run/run.h"
#include "stats/change_point.h"

namespace plumbline {

/// A run as a history knows it.
struct PastRun {
  std::string path, started_at, commit;
  std::string device_class, device_uuid;
  int measurement_revision = 0;
  std::string shard = {};
  std::string host = {}, boot_id = {};  // "" where it does not say
  bool is_baseline = false;             // that a candidate is judged against
  bool is_accepted = false;             // another run of that baseline: it counts at any time
  bool is_candidate = false;  // that is judged: it shows where levels are, and nothing else is
                              // learned from it
};

/// By run, the number of its machine (variance/other_device.h).
std::vector<std::size_t> machines_of(const std::vector<PastRun>& runs);
MachineMarks marks_of(const PastRun& run);

struct PastValue {
  std::size_t run = 0;  // index of the PastRun
  double estimate = 0;  // above 0, in the series' unit
  std::optional<double> low, high;
  std::optional<double> tail = {};  // log of p95 / median of its blocks
  RunVisitLogs visits = {};  // empty where the summary is of a version that did not keep them
};

struct Series {
  std::string suite, case_id, metric, unit, revision, device_class;
  int measurement_revision = 0;
  std::vector<PastValue> values;  // in the order of time
};

struct History {
  std::vector<PastRun> runs;  // in the order of time
  std::vector<Series> series;
};

/// One run's part of a history.
struct RunSummary {
  PastRun run;
  std::vector<CaseSummary> rows;
};

/// What a comparison may learn from.
struct EarlierRuns {
  std::vector<RunSummary> runs;
  std::vector<std::string> notes;  // on runs that count once because they hold the same numbers
};

/// Those that were accepted or came before the candidate, and are neither it nor the baseline, each
/// once however often it was copied. A copy is known by its start, or by its numbers: no two runs
/// measure the same times throughout. Where the candidate does not say when it started, none is
/// left out for being later.
EarlierRuns earlier_runs(std::vector<RunSummary> summaries, const RunSummary& baseline,
                         const RunSummary& candidate);

/// Series of all cases × metrics with estimates above 0. Runs may come in any order.
History make_history(std::vector<RunSummary> summaries);

/// What a case varies by from run to run: of the logarithms of a run's estimates, once what all
/// cases of a run share is taken off. Known from three runs on.
struct RunVariance {
  double variance = 0, df = 0;
  /// Log: the smallest change of the case that counts, three times what two successive runs differ
  /// by in the median (as CBH takes it). 0: not known, below ten runs.
  double floor = 0;
  /// Log: median of the latest runs at the baseline's level, and how many they are; 0: the baseline
  /// is not in the history.
  double center = 0;
  std::size_t center_runs = 0;
  /// Whether `variance` and `center` are of machines, none of them the candidate's: what devices of
  /// the class differ by is in it.
  bool is_of_machines = false;
  /// Of the visits of a run, of their logarithms. 0 degrees of freedom: not known.
  double visit_variance = 0, visit_df = 0;
  /// Whether what three boots of a machine differ by is in it.
  bool holds_boots = false;
};

/// By the index of the series. A step that stands out is no noise: variances are taken within
/// levels (levels.h). Devices of a class and machines differ, and that is no noise of runs either:
/// each is looked at by itself (variance/other_device.h). Where the candidate's is none of the
/// three or more that earlier runs are of, how far these are apart is what is known. Only times
/// share what moves a whole run. A candidate and the run before it show a step together.
std::vector<RunVariance> run_variances(const History& history);

struct HistoryRule {
  ChangeSearch search{.floor = 0.01};       // on logarithms
  double level = 0.01;                      // of the test of drift
  std::size_t drift_from = 10;              // runs after the last change, for a drift to be told
  ChangeSearch tail_search{.floor = 0.05};  // on log(p95 / median)
  double least_gap = 0.02;                  // between two modes of processes, log
  // Whether a drift is measured that its test does not tell: it takes most of the time of a series.
  bool measures_untold_drift = true;
};

struct Drift {
  double change = 0, low = 0, high = 0;  // logarithms, over the runs since the last change
  std::size_t runs = 0;
  double p_value = 1;

  /// Whether it is told: by the test and by its interval, which do not rest on the same.
  bool is_told(double level) const { return p_value <= level && (low > 0 || high < 0); }
};

/// Logarithms; indexes into the series' values.
struct SeriesReading {
  std::vector<ChangePoint> changes;       // steps: searched for, and a late one
  bool last_is_apart = false;             // from all since the last change: too few to place one
  std::vector<ChangePoint> tail_changes;  // of p95 / median; logarithms
  std::optional<ModeChange> modes;        // where there are two
  std::size_t visits = 0;                 // that modes were looked for in
  std::optional<Drift> drift;             // where there are runs enough, significant or not
  std::optional<double> since_previous;   // last against the run before
  std::optional<double> since_anchor;     // last against the anchor
};

/// Whether a value was measured on another device than the one before it: a change there is one of
/// devices, and no commit's.
bool is_of_device(const std::vector<PastRun>& runs, const Series& series, std::size_t at);

/// `anchor`: path of the run that is the release or baseline to compare with; "" = the first.
SeriesReading read_series(const History& history, const Series& series, const HistoryRule& rule,
                          const std::string& anchor = "");

}  // namespace plumbline
