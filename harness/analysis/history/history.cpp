#include "analysis/history/history.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/history/levels.h"
#include "core/moment.h"
#include "core/parallel.h"
#include "core/run/case.h"
#include "core/run/run_identity.h"
#include "stats/descriptive.h"
#include "stats/ramp.h"
#include "stats/trend.h"

namespace plumbline {
namespace {

constexpr double kConfidence = 0.99;

using SeriesKey =
    std::tuple<std::string, std::string, std::string, std::string, std::string, std::string, int>;

SeriesKey key_of(const PastRun& run, const CaseSummary& row) {
  return {row.suite,
          row.case_id,
          row.metric,
          row.unit,
          row.revision,
          run.device_class,
          run.measurement_revision};
}

Series series_of(const PastRun& run, const CaseSummary& row) {
  return {row.suite,
          row.case_id,
          row.metric,
          row.unit,
          row.revision,
          run.device_class,
          run.measurement_revision,
          {}};
}

RunIdentity identity_of(const PastRun& run) {
  return {moment_of_start(run.started_at), run.device_uuid, run.shard};
}

/// Of a run's times, where they are too many to be another run's by chance.
std::optional<std::uint64_t> numbers_of(const RunSummary& summary) {
  constexpr std::size_t kDifferent = 8;
  std::set<double> different;
  std::uint64_t hash = 0;
  for (const CaseSummary& row : summary.rows) {
    if (row.unit != "s" || !std::isfinite(row.estimate)) continue;
    if (different.size() < kDifferent) different.insert(row.estimate);
    hash = stable_hash(row.suite + '\n' + row.case_id + '\n' + row.metric,
                       hash ^ std::bit_cast<std::uint64_t>(row.estimate));
  }
  return different.size() < kDifferent ? std::nullopt : std::optional(hash);
}

/// Runs that were met, so that each counts once.
class Met {
 public:
  /// `same_numbers`, where it is given: the path of a run of another start with the same numbers.
  bool is_new(const RunSummary& summary, const std::string** same_numbers = nullptr) {
    const RunIdentity run = identity_of(summary.run);
    if (run.start && !starts_.insert(run).second) return false;
    const auto numbers = numbers_of(summary);
    if (!numbers) return true;
    const auto [place, is_first] = numbers_.try_emplace(*numbers, summary.run.path);
    if (!is_first && same_numbers) *same_numbers = &place->second;
    return is_first;
  }

 private:
  std::set<RunIdentity> starts_;
  std::map<std::uint64_t, std::string> numbers_;
};

/// None where one is not above 0.
RunVisitLogs logs_of_visits(const CaseSummary& row) {
  RunVisitLogs logs;
  for (const double visit_mean : row.visit_means) {
    if (!(visit_mean > 0)) return {};
    logs.push_back(std::log(visit_mean));
  }
  return logs;
}

std::vector<double> logs_of(const Series& series) {
  std::vector<double> logs;
  for (const PastValue& value : series.values) logs.push_back(std::log(value.estimate));
  return logs;
}

Drift drift_of(std::span<const double> logs) {
  const OrderInterval slope = theil_sen(logs, {}, kConfidence);
  const auto steps = double(logs.size() - 1);
  const MannKendall test =
      mann_kendall(logs, Alternative::two_sided, Method::asymptotic, Autocorrelation::leading_lags);
  return {slope.interval.center * steps, slope.interval.low * steps, slope.interval.high * steps,
          logs.size(), test.p_value};
}

/// Fewer cases than this cannot tell what a run shares.
constexpr std::size_t kShareFrom = 12;
constexpr std::size_t kVarianceFrom = 3;
constexpr std::size_t kFloorFrom = 10;
constexpr double kMediansOfFloor = 3;
/// A jump stands out by so many standard errors.
constexpr double kStepErrors = 6;
/// So many runs of the baseline's level say where it lies: earlier ones may have aged.
constexpr std::size_t kCenterRuns = 15;

/// What is compared of a run.
double log_of(const PastValue& value) {
  return value.visits.empty() ? std::log(value.estimate) : middle_of_visits(value.visits);
}

/// What the cases of each run share: the median of how far their times lie from their own medians.
std::vector<double> run_shifts(const History& history) {
  std::vector<std::vector<double>> deviations(history.runs.size());
  for (const Series& series : history.series) {
    if (series.unit != "s") continue;
    std::vector<double> logs;
    for (const PastValue& value : series.values) logs.push_back(log_of(value));
    const double middle = median(logs);
    for (std::size_t i = 0; i < logs.size(); ++i)
      deviations[series.values[i].run].push_back(logs[i] - middle);
  }
  std::vector<double> shifts;
  for (const std::vector<double>& of_run : deviations)
    shifts.push_back(of_run.size() < kShareFrom ? 0 : median(of_run));
  return shifts;
}

/// A series on one device, in the order of time, without what whole runs share.
struct DeviceLogs {
  std::vector<double> logs;
  std::optional<std::size_t> baseline, candidate;  // indexes of these runs
};

std::map<std::string, DeviceLogs> logs_by_device(const History& history, const Series& series,
                                                 const std::vector<double>& shifts) {
  std::map<std::string, DeviceLogs> devices;
  for (const PastValue& value : series.values) {
    const PastRun& run = history.runs[value.run];
    DeviceLogs& device = devices[run.device_uuid];
    if (run.is_baseline) device.baseline = device.logs.size();
    if (run.is_candidate) device.candidate = device.logs.size();
    device.logs.push_back(log_of(value) - (series.unit == "s" ? shifts[value.run] : 0));
  }
  return devices;
}

/// The levels of a device, in the order of time, without the candidate.
struct Levels {
  std::vector<std::vector<double>> levels;
  const std::vector<double>* of_baseline = nullptr;
  bool is_candidates = false;  // the device's
};

Levels levels_of(const DeviceLogs& device) {
  const std::span<const double> logs = device.logs;
  const std::vector<std::size_t> starts = level_starts(logs, device.baseline == 0);
  Levels found;
  found.is_candidates = device.candidate.has_value();
  found.levels.reserve(starts.size());
  for (const std::size_t start : starts) {
    const LevelRange range = level_of(starts, start, logs.size());
    std::vector<double>& level = found.levels.emplace_back();
    for (std::size_t i = range.begin; i < range.end; ++i)
      if (i != device.candidate) level.push_back(logs[i]);
    if (device.baseline && range.begin <= *device.baseline && *device.baseline < range.end)
      found.of_baseline = &level;
  }
  return found;
}

/// Where the latest runs at the baseline's level lie.
void set_center(const std::vector<double>& level, RunVariance& found) {
  found.center_runs = std::min(level.size(), kCenterRuns);
  found.center = median(std::span(level).last(found.center_runs));
}

/// Within the runs of a series, pooled.
void set_visit_variance(const History& history, const Series& series, RunVariance& found) {
  double squares = 0;
  for (const PastValue& value : series.values) {
    if (value.visits.size() < 2 || history.runs[value.run].is_candidate) continue;
    const auto df = double(value.visits.size() - 1);
    squares += variance(value.visits) * df;
    found.visit_df += df;
  }
  if (found.visit_df > 0) found.visit_variance = squares / found.visit_df;
}

/// Devices that are not the candidate's, each where its latest runs lie.
struct DeviceCenters {
  std::vector<double> centers;
  double inverse_runs = 0;  // mean of 1 / runs of each

  void add(const Levels& levels) {
    if (levels.is_candidates || levels.levels.back().empty()) return;
    RunVariance level;
    set_center(levels.levels.back(), level);
    centers.push_back(level.center);
    inverse_runs += 1 / double(level.center_runs);
  }

  /// What a run on one more device of the class is off by. `found`: what runs on one device are.
  void set_in(RunVariance& found) const {
    const auto devices = double(centers.size());
    const double of_runs = found.df > 0 ? found.variance : 0;
    found = RunVariance{.variance = variance(centers) + (1 - inverse_runs / devices) * of_runs,
                        .df = devices - 1,
                        .floor = found.floor,
                        .center = middle_of_visits(centers),
                        .center_runs = centers.size(),
                        .is_of_devices = true};
  }
};

RunVariance variance_of(const History& history, const Series& series,
                        const std::vector<double>& shifts) {
  RunVariance found;
  double squares = 0;
  std::vector<double> steps;  // from run to run
  DeviceCenters others;
  bool is_on_new_device = false;  // the candidate, which is in the history once
  for (const auto& [uuid, device] : logs_by_device(history, series, shifts)) {
    const Levels levels = levels_of(device);
    others.add(levels);
    is_on_new_device = is_on_new_device || (levels.is_candidates && device.logs.size() == 1);
    if (levels.of_baseline) set_center(*levels.of_baseline, found);
    for (const std::vector<double>& level : levels.levels) {
      const std::vector<double> kept = without_strays(level);
      if (kept.size() < 2) continue;
      squares += variance(kept) * double(kept.size() - 1);
      found.df += double(kept.size() - 1);
      for (std::size_t i = 1; i < kept.size(); ++i)
        steps.push_back(std::abs(kept[i] - kept[i - 1]));
    }
  }
  if (found.df > 0) found.variance = squares / found.df;
  if (steps.size() + 1 >= kFloorFrom) found.floor = kMediansOfFloor * median(steps);
  if (is_on_new_device && others.centers.size() > 1)
    others.set_in(found);
  else if (found.df + 1 < double(kVarianceFrom))
    return {};
  set_visit_variance(history, series, found);
  return found;
}

/// Between the changes around one: where its sides begin and end.
struct Sides {
  std::size_t from, to;
};

Sides sides_of(const std::vector<ChangePoint>& changes, std::size_t i, std::size_t runs) {
  return {i == 0 ? 0 : changes[i - 1].at, i + 1 == changes.size() ? runs : changes[i + 1].at};
}

/// Whether the level jumps at a place by more than the slope around explains: a slow change has no
/// jump, whatever shape it has.
bool jumps_at(std::span<const double> around, std::size_t at, const HistoryRule& rule) {
  constexpr std::size_t kSide = 2;  // runs; a change has as many on either side
  std::vector<double> from_run_to_run;
  for (std::size_t i = 1; i < around.size(); ++i)
    from_run_to_run.push_back(around[i] - around[i - 1]);
  const double noise = kSdPerMad * median_absolute_deviation(from_run_to_run) / std::numbers::sqrt2;
  const double slope = theil_sen(around, {}, kConfidence).interval.center;
  const double jump = mean(around.subspan(at, kSide)) - mean(around.subspan(at - kSide, kSide)) -
                      slope * double(kSide);
  return std::abs(jump) >= std::max(rule.search.floor, kStepErrors * noise);
}

/// Whether a change is where a search for steps cut a slow change: nothing jumps there, a ramp
/// explains the runs on its sides better, with as many parameters, and the drift is told.
bool is_cut_of_ramp(std::span<const double> logs, const ChangePoint& change, const Sides& sides,
                    const HistoryRule& rule) {
  const auto around = logs.subspan(sides.from, sides.to - sides.from);
  const std::size_t at = change.at - sides.from;
  return around.size() >= rule.drift_from && !jumps_at(around, at, rule) &&
         about_best_ramp(around) < about_step(around, at) && drift_of(around).is_told(rule.level);
}

/// Leaves the steps of changes; a slow change is cut several times, in its middle first.
void keep_steps(std::span<const double> logs, const HistoryRule& rule,
                std::vector<ChangePoint>& changes) {
  for (std::size_t i = 0; i < changes.size();) {
    if (is_cut_of_ramp(logs, changes[i], sides_of(changes, i, logs.size()), rule)) {
      changes.erase(changes.begin() + std::ptrdiff_t(i));
      i = 0;  // its neighbours' sides are longer now
    } else {
      ++i;
    }
  }
  tell_levels(logs, rule.search.floor, changes);
}

/// Changes of the tails, at places of the series; runs that have none are passed over.
std::vector<ChangePoint> tail_changes_of(const Series& series, const ChangeSearch& search) {
  std::vector<double> tails;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    if (!series.values[i].tail) continue;
    tails.push_back(*series.values[i].tail);
    places.push_back(i);
  }
  if (tails.size() < 2) return {};
  std::vector<ChangePoint> changes = change_points(tails, search);
  for (ChangePoint& change : changes) change.at = places[change.at];
  return changes;
}

std::vector<RunVisitLogs> visits_of(const Series& series) {
  std::vector<RunVisitLogs> visits;
  for (const PastValue& value : series.values) visits.push_back(value.visits);
  return visits;
}

/// Over all runs: where processes fall into the slower mode more often, estimates move, and that is
/// a change as well. Modes that moved themselves are told since the last change.
std::optional<ModeChange> modes_of(std::span<const RunVisitLogs> visits, std::size_t last_change,
                                   double least_gap) {
  if (auto found = mode_change(visits, least_gap)) return found;
  auto found = mode_change(visits.subspan(last_change), least_gap);
  if (found && found->at > 0) found->at += last_change;
  return found;
}

void add_late_change(std::span<const double> logs, const ChangeSearch& search,
                     SeriesReading& reading) {
  const std::size_t from = reading.changes.empty() ? 0 : reading.changes.back().at;
  LateChange late = late_change(logs.subspan(from), search);
  reading.last_is_apart = late.last_is_apart;
  if (!late.change) return;
  late.change->at += from;
  reading.changes.push_back(*late.change);
}

}  // namespace

EarlierRuns earlier_runs(std::vector<RunSummary> summaries, const RunSummary& baseline,
                         const RunSummary& candidate) {
  Met met;
  met.is_new(candidate);
  met.is_new(baseline);
  const auto now = moment_of(candidate.run.started_at);
  EarlierRuns earlier;
  std::map<std::string, std::vector<std::string>> copies;  // of a run that says another start
  for (RunSummary& summary : summaries) {
    if (now && now < moment_of(summary.run.started_at)) continue;
    const std::string* same_numbers = nullptr;
    if (met.is_new(summary, &same_numbers))
      earlier.runs.push_back(std::move(summary));
    else if (same_numbers)
      copies[*same_numbers].push_back(summary.run.path);
  }
  for (const auto& [original, paths] : copies)
    earlier.notes.push_back(
        paths.front() +
        (paths.size() == 1 ? " has" : " and " + std::to_string(paths.size() - 1) + " more have") +
        " the same times as " + original +
        ", although they say that they started at another moment: they count as one run");
  return earlier;
}

std::vector<RunVariance> run_variances(const History& history) {
  const std::vector<double> shifts = run_shifts(history);
  std::vector<RunVariance> variances(history.series.size());
  for_each_index(variances.size(), [&](std::size_t k) {
    variances[k] = variance_of(history, history.series[k], shifts);
  });
  return variances;
}

History make_history(std::vector<RunSummary> summaries) {
  std::ranges::stable_sort(summaries, {},
                           [](const RunSummary& s) { return moment_of(s.run.started_at); });
  History history;
  std::map<SeriesKey, std::size_t> positions;
  for (RunSummary& summary : summaries) {
    for (const CaseSummary& row : summary.rows) {
      if (row.metric.empty() || !(row.estimate > 0) || !std::isfinite(row.estimate)) continue;
      const auto [place, is_new] =
          positions.try_emplace(key_of(summary.run, row), history.series.size());
      if (is_new) history.series.push_back(series_of(summary.run, row));
      history.series[place->second].values.push_back(
          {history.runs.size(), row.estimate, row.low, row.high,
           std::isfinite(row.tail) ? std::optional(std::log1p(row.tail)) : std::nullopt,
           logs_of_visits(row)});
    }
    history.runs.push_back(std::move(summary.run));
  }
  return history;
}

SeriesReading read_series(const History& history, const Series& series, const HistoryRule& rule,
                          const std::string& anchor) {
  SeriesReading reading;
  const std::vector<double> logs = logs_of(series);
  const std::vector<RunVisitLogs> visits = visits_of(series);
  reading.visits = visits_in(visits);
  if (logs.size() < 2) return reading;
  reading.changes = change_points(logs, rule.search);
  if (series.unit == "s") reading.tail_changes = tail_changes_of(series, rule.tail_search);
  keep_steps(logs, rule, reading.changes);
  add_late_change(logs, rule.search, reading);
  const std::size_t from = reading.changes.empty() ? 0 : reading.changes.back().at;
  if (logs.size() - from >= rule.drift_from)
    reading.drift = drift_of(std::span(logs).subspan(from));
  if (series.unit == "s") reading.modes = modes_of(visits, from, rule.least_gap);
  reading.since_previous = logs.back() - logs[logs.size() - 2];
  for (std::size_t i = 0; i + 1 < logs.size(); ++i)
    if (anchor.empty() ? i == 0 : history.runs[series.values[i].run].path == anchor)
      reading.since_anchor = logs.back() - logs[i];
  return reading;
}

}  // namespace plumbline
