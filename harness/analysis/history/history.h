/// A case over its runs: when it changed, whether it drifts, and how it compares with the previous
/// run and with an anchor.
///
/// A series holds runs of one device class, one meaning of the metrics and one revision of the
/// problem, in order of time; runs that cannot be compared start a new series. Changes are searched
/// for in the logarithms: E-divisive with permutation tests, and a separate test for the last few
/// runs, which that search cannot cover. Changes that memory or a ramp without a jump explains are
/// dropped. The drift over the runs since the last change is Theil & Sen's slope. Mann & Kendall's
/// test decides, corrected for autocorrelation (Hamed & Rao 1998). Pure: knows summaries of runs,
/// but no files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// A run of a history.
struct PastRun {
  std::string path, started_at, commit;
  std::string device_class, device_uuid;
  int measurement_revision = 0;
  std::string shard = {};
  std::string host = {}, boot_id = {};  // "" if the run does not record them
  bool is_baseline = false;             // the baseline that the candidate is judged against
  bool is_accepted = false;             // another run of that baseline; counts at any time
  bool is_candidate = false;            // the judged run: used to find levels, and for nothing else
};

/// For each run, the number of its machine (variance/other_device.h).
std::vector<std::size_t> machines_of(const std::vector<PastRun>& runs);
MachineMarks marks_of(const PastRun& run);

/// Small, because a history may have millions. kUnknown: not known.
struct PastValue {
  std::uint32_t run = 0;                      // index of the PastRun
  std::uint32_t first_visit = 0, visits = 0;  // in Series::visit_logs
  double estimate = 0;                        // above 0, in the series' unit
  double log = 0;                             // the value that runs are compared by
};

/// What comparisons do not need of a value.
struct PastSpread {
  double low = kUnknown, high = kUnknown;  // interval of the estimate
  double tail = kUnknown;                  // log of p95 / median of its blocks
};

struct Series {
  std::string suite, case_id, metric, unit, revision, device_class;
  int measurement_revision = 0;
  std::vector<PastValue> values = {};    // in the order of time
  std::vector<double> visit_logs = {};   // of all values; see visits_of()
  std::vector<PastSpread> spreads = {};  // of all values, or of none

  /// Logarithms of a value's visits; empty in summaries of versions that did not keep them.
  std::span<const double> visits_of(const PastValue& value) const {
    return std::span(visit_logs).subspan(value.first_visit, value.visits);
  }
  /// Of value `i`; unknown where spreads are not kept.
  PastSpread spread(std::size_t i) const { return i < spreads.size() ? spreads[i] : PastSpread{}; }
  /// Appends a value. `logs` of its visits, may be empty. `value` needs run and estimate; the rest
  /// is set here. Either all values of a series have a spread or none.
  void add(PastValue value, std::span<const double> logs);
  void add(const PastValue& value, std::span<const double> logs, const PastSpread& spread);
};

struct History {
  std::vector<PastRun> runs;  // in the order of time
  std::vector<Series> series;
};

/// One run's part of a history.
struct RunSummary {
  PastRun run;
  std::vector<CaseSummary> rows;
  std::int64_t stored = 0;  // 0, or the run's number in StoredRows, which then has the rows
  std::optional<std::uint64_t> numbers = {};  // of a stored run: numbers_of() its rows
};

/// A row of a run that is not in memory. kUnknown: not known.
struct StoredRow {
  std::int64_t run = 0;        // RunSummary::stored
  std::uint32_t position = 0;  // among the rows of its run
  double estimate = kUnknown, low = kUnknown, high = kUnknown, tail = kUnknown;
  std::span<const double> visit_means;
};

struct SeriesName {
  std::string suite, case_id, metric, unit, revision;
};

/// Rows of runs that are kept on disk, such as store/index does.
class StoredRows {
 public:
  using Take = std::function<void(const SeriesName& name, std::span<const StoredRow> rows)>;
  virtual ~StoredRows() = default;
  /// Calls `take` once for each series that has a metric, with its rows in any order. Rows of a run
  /// that are in one series come in the order of their positions. Only rows whose estimate is above
  /// 0. `case_id`: only the series of that case; "" = all.
  virtual void read(const std::string& case_id, const Take& take) const = 0;
};

/// The runs that a comparison may learn from.
struct EarlierRuns {
  std::vector<RunSummary> runs;
  std::vector<std::string> notes;  // on runs that count once because they hold the same numbers
};

/// The runs that were accepted or came before the candidate, without candidate and baseline. Copies
/// count once: they are recognised by their start or by their numbers, since no two runs measure
/// exactly the same times. If the candidate's start is unknown, later runs are not excluded.
EarlierRuns earlier_runs(std::vector<RunSummary> summaries, const RunSummary& baseline,
                         const RunSummary& candidate);

/// Hash of a run's times; nothing if so few differ that another run may have the same by chance.
std::optional<std::uint64_t> numbers_of(std::span<const CaseSummary> rows);

/// Series of all cases × metrics with estimates above 0, in the order in which they first appear.
/// Runs may come in any order.
/// `case_id`: only the series of that case, with all runs; "" = all.
History make_history(const std::vector<RunSummary>& summaries, const std::string& case_id = "",
                     bool keeps_spreads = true);
/// The same where some runs are stored.
/// `keeps_spreads`: false for a comparison, which takes less memory without them.
History make_history(const std::vector<RunSummary>& summaries, const StoredRows& stored,
                     const std::string& case_id = "", bool keeps_spreads = true);

/// Variance of a case between runs: of the logarithms of its estimates, after removing what all
/// cases of a run share. Known from three runs on.
struct RunVariance {
  double variance = 0, df = 0;
  /// Log: the smallest change of the case that counts: three times the median difference of
  /// successive runs (as in CBH). 0: unknown, with fewer than ten runs.
  double floor = 0;
  /// Log: median of the latest runs at the baseline's level, and their number; 0: the baseline is
  /// not in the history.
  double center = 0;
  std::size_t center_runs = 0;
  /// `variance` and `center` are of machines, and none of them is the candidate's: they include
  /// differences between devices of the class.
  bool is_of_machines = false;
  /// Variance of a run's visits, of their logarithms. 0 degrees of freedom: unknown.
  double visit_variance = 0, visit_df = 0;
  /// True if `variance` includes the difference between three boots of a machine.
  bool holds_boots = false;
};

/// One for each series. Steps are no noise: variances are taken within levels (levels.h).
/// Differences between machines are no noise of runs either: each machine is handled separately
/// (variance/other_device.h). If the candidate's machine is not among three or more earlier ones,
/// the distance between these is used. Common movements of whole runs are only removed from times.
/// A candidate and the run before it can show a step together.
std::vector<RunVariance> run_variances(const History& history);

/// Some runs of a history, with roles of their own.
struct HistoryPart {
  static constexpr std::size_t kLeftOut = ~std::size_t{0};
  std::vector<PastRun> runs;         // in the order of time
  std::vector<std::size_t> numbers;  // of each run of the history: its index in `runs`, or kLeftOut
};
/// As if the history had only these runs.
std::vector<RunVariance> run_variances(const History& history, const HistoryPart& part);

struct HistoryRule {
  ChangeSearch search{.floor = 0.01};       // on logarithms
  double level = 0.01;                      // of the drift test
  std::size_t drift_from = 10;              // runs since the last change that a drift needs
  ChangeSearch tail_search{.floor = 0.05};  // on log(p95 / median)
  double least_gap = 0.02;                  // between two modes of processes, log
  // True: also measures drifts that the test does not report, which takes most of the time.
  bool measures_untold_drift = true;
};

struct Drift {
  double change = 0, low = 0, high = 0;  // logarithms, over the runs since the last change
  std::size_t runs = 0;
  double p_value = 1;

  /// True if the test and the interval both show the drift: their assumptions differ.
  bool is_told(double level) const { return p_value <= level && (low > 0 || high < 0); }
};

/// Values are logarithms; indexes are into the series' values.
struct SeriesReading {
  std::vector<ChangePoint> changes;       // steps from the search, and a late one
  bool last_is_apart = false;             // the last value differs from all since the last change;
                                          // too few to place a step
  std::vector<ChangePoint> tail_changes;  // of p95 / median; logarithms
  std::optional<ModeChange> modes;        // if there are two
  std::size_t visits = 0;                 // that were searched for modes
  std::optional<Drift> drift;             // if there are enough runs, significant or not
  std::optional<double> since_previous;   // last against the run before
  std::optional<double> since_anchor;     // last against the anchor
};

/// True if a value was measured on another device than the one before it: a change there comes from
/// the device, not from a commit.
bool is_of_device(const std::vector<PastRun>& runs, const Series& series, std::size_t at);

/// `anchor`: path of the release or baseline run to compare with; "" = the first run.
SeriesReading read_series(const History& history, const Series& series, const HistoryRule& rule,
                          const std::string& anchor = "");

}  // namespace plumbline
