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

#include "core/moment.h"
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
  return {moment_of_start(run.started_at), run.device_uuid, run.host, run.shard};
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

/// A jump stands out by so many standard errors.
constexpr double kStepErrors = 6;

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
