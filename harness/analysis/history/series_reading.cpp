#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "analysis/history/history.h"
#include "stats/descriptive.h"
#include "stats/memory.h"
#include "stats/ramp.h"
#include "stats/trend.h"

namespace plumbline {
namespace {

constexpr double kConfidence = 0.99;
/// A jump stands out if it is this many standard errors.
constexpr double kStepErrors = 6;

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

/// True if the test shows a trend before the correction for autocorrelation, which only raises p.
bool may_drift(std::span<const double> logs, const HistoryRule& rule) {
  return mann_kendall(logs, Alternative::two_sided, Method::asymptotic).p_value <= rule.level;
}

/// The range between the changes on either side of one.
struct Sides {
  std::size_t from, to;
};

Sides sides_of(const std::vector<ChangePoint>& changes, std::size_t i, std::size_t runs) {
  return {i == 0 ? 0 : changes[i - 1].at, i + 1 == changes.size() ? runs : changes[i + 1].at};
}

/// True if the level jumps by more than the slope around it explains: a slow change has no jump,
/// whatever its shape.
bool jumps_at(std::span<const double> around, std::size_t at, const HistoryRule& rule) {
  constexpr std::size_t kSide = 2;  // runs; a change has this many on either side
  std::vector<double> from_run_to_run;
  for (std::size_t i = 1; i < around.size(); ++i)
    from_run_to_run.push_back(around[i] - around[i - 1]);
  const double noise = kSdPerMad * median_absolute_deviation(from_run_to_run) / std::numbers::sqrt2;
  const double slope = theil_sen(around, {}, kConfidence).interval.center;
  const double jump = mean(around.subspan(at, kSide)) - mean(around.subspan(at - kSide, kSide)) -
                      slope * double(kSide);
  return std::abs(jump) >= std::max(rule.search.floor, kStepErrors * noise);
}

/// True if a change is where the search for steps cut a slow change: there is no jump, a ramp with
/// as many parameters explains the runs around it better, and the drift is reported. The ramp takes
/// as many runs as a drift: by chance, a steep line through a few values fits a step as well.
bool is_cut_of_ramp(std::span<const double> logs, const ChangePoint& change, const Sides& sides,
                    const HistoryRule& rule) {
  const auto around = logs.subspan(sides.from, sides.to - sides.from);
  const std::size_t at = change.at - sides.from;
  return around.size() >= rule.drift_from && !jumps_at(around, at, rule) &&
         about_best_ramp(around, rule.drift_from) < about_step(around, at) &&
         drift_of(around).is_told(rule.level);
}

/// Keeps only steps. A slow change is cut several times, first in its middle.
void keep_steps(std::span<const double> logs, const HistoryRule& rule,
                std::vector<ChangePoint>& changes) {
  for (std::size_t i = 0; i < changes.size();) {
    if (is_cut_of_ramp(logs, changes[i], sides_of(changes, i, logs.size()), rule)) {
      changes.erase(changes.begin() + std::ptrdiff_t(i));
      i = 0;  // its neighbours' ranges are longer now
    } else {
      ++i;
    }
  }
  tell_levels(logs, rule.search.floor, changes);
}

/// How much likelier a change, or a ramp, is than autocorrelation alone.
double beyond_memory_at(std::span<const double> logs, const ChangePoint& change,
                        const Sides& sides) {
  const auto around = logs.subspan(sides.from, sides.to - sides.from);
  return beyond_memory(around, std::min(about_step_with_memory(around, change.at - sides.from),
                                        about_best_ramp(around)));
}

/// Removes changes that memory (autocorrelation) explains, the weakest first: this extends its
/// neighbours' ranges, which then say more.
void leave_out_memory(std::span<const double> logs, std::vector<ChangePoint>& changes) {
  while (!changes.empty()) {
    std::vector<double> beyond;
    for (std::size_t i = 0; i < changes.size(); ++i)
      beyond.push_back(beyond_memory_at(logs, changes[i], sides_of(changes, i, logs.size())));
    const auto least = std::ranges::min_element(beyond);
    if (*least >= kBeyondMemory) return;
    changes.erase(changes.begin() + (least - beyond.begin()));
  }
}

/// Steps between levels: not what memory or a slow change explains. The floor applies last.
std::vector<ChangePoint> steps_of(std::span<const double> logs, const HistoryRule& rule) {
  std::vector<ChangePoint> changes = change_points(logs, rule.search);
  leave_out_memory(logs, changes);
  keep_steps(logs, rule, changes);
  return changes;
}

/// Changes of the tails, at indexes of the series; runs without a tail are skipped.
std::vector<ChangePoint> tail_changes_of(const Series& series, const ChangeSearch& search) {
  std::vector<double> tails;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double tail = series.spread(i).tail;
    if (std::isnan(tail)) continue;
    tails.push_back(tail);
    places.push_back(i);
  }
  if (tails.size() < 2) return {};
  std::vector<ChangePoint> changes = change_points(tails, search);
  leave_out_memory(tails, changes);
  tell_levels(tails, search.floor, changes);
  for (ChangePoint& change : changes) change.at = places[change.at];
  return changes;
}

std::vector<RunVisitLogs> visits_of(const Series& series) {
  std::vector<RunVisitLogs> visits;
  for (const PastValue& value : series.values) {
    const auto logs = series.visits_of(value);
    visits.emplace_back(logs.begin(), logs.end());
  }
  return visits;
}

/// Searches all runs: if processes are more often in the slower mode, estimates move, which is a
/// change as well. If the modes themselves moved, searches the runs since the last change.
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

bool is_of_device(const std::vector<PastRun>& runs, const Series& series, std::size_t at) {
  return at > 0 &&
         runs[series.values[at].run].device_uuid != runs[series.values[at - 1].run].device_uuid;
}

SeriesReading read_series(const History& history, const Series& series, const HistoryRule& rule,
                          const std::string& anchor) {
  SeriesReading reading;
  const std::vector<double> logs = logs_of(series);
  const std::vector<RunVisitLogs> visits = visits_of(series);
  reading.visits = visits_in(visits);
  if (logs.size() < 2) return reading;
  reading.changes = steps_of(logs, rule);
  if (series.unit == "s") reading.tail_changes = tail_changes_of(series, rule.tail_search);
  add_late_change(logs, rule.search, reading);
  const std::size_t from = reading.changes.empty() ? 0 : reading.changes.back().at;
  const auto level = std::span(logs).subspan(from);
  if (level.size() >= rule.drift_from && (rule.measures_untold_drift || may_drift(level, rule)))
    reading.drift = drift_of(level);
  if (series.unit == "s") reading.modes = modes_of(visits, from, rule.least_gap);
  reading.since_previous = logs.back() - logs[logs.size() - 2];
  for (std::size_t i = 0; i + 1 < logs.size(); ++i)
    if (anchor.empty() ? i == 0 : history.runs[series.values[i].run].path == anchor)
      reading.since_anchor = logs.back() - logs[i];
  return reading;
}

}  // namespace plumbline
