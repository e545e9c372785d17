#include "analysis/history/regressions.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/compare/comparison.h"
#include "analysis/compare/ledger_effects.h"
#include "core/run/direction.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// A regression's levels. All levels are logarithms, with the sign chosen so that more is worse.
struct Rise {
  RegressionKind kind = RegressionKind::step;
  std::size_t from = 0;             // index of a value
  std::optional<std::size_t> back;  // index of a value
  double before = 0, after = 0;
};

class Rises {
 public:
  Rises(const std::vector<PastRun>& runs, const Series& series, double sign)
      : runs_(runs), series_(series), sign_(sign) {
    for (const PastValue& value : series.values) logs_.push_back(sign * std::log(value.estimate));
  }

  std::vector<Rise> read(const SeriesReading& reading, std::span<const std::string_view> verdicts) {
    for (const ChangePoint& change : reading.changes) take_change(change);
    const std::size_t begin = reading.changes.empty() ? 0 : reading.changes.back().at;
    take_confirmed(begin, reading, verdicts);
    take_drift(begin, reading);
    return std::move(rises_);
  }

 private:
  static constexpr double kFloor = HistoryRule{}.search.floor;

  void take_change(const ChangePoint& change) {
    const double moved = sign_ * (change.after - change.before), level = sign_ * change.after;
    const bool is_of_devices = is_of_device(runs_, series_, change.at);
    for (Rise& rise : rises_) {
      if (rise.back) continue;
      if (is_of_devices) {
        rise.before += moved;
        rise.after += moved;
      } else if (level <= rise.before + kFloor) {
        rise.back = change.at;
      } else {
        rise.after = std::min(rise.after, level);
      }
    }
    if (!is_of_devices && moved > 0)
      rises_.push_back({RegressionKind::step, change.at, {}, level - moved, level});
  }

  /// Adds the first value after the last change that was confirmed as worse. If that change was
  /// itself for the worse, later verdicts refer to it, unless the last value lies apart.
  void take_confirmed(std::size_t begin, const SeriesReading& reading,
                      std::span<const std::string_view> verdicts) {
    const bool is_risen = !rises_.empty() && rises_.back().from == begin && !rises_.back().back;
    if (is_risen && !reading.last_is_apart) return;
    const std::span<const double> logs(logs_);
    for (std::size_t k = is_risen ? logs.size() - 1 : begin + 1; k < logs.size(); ++k) {
      if (verdicts[k] != name_of(Verdict::slower) || is_of_device(runs_, series_, k)) continue;
      const double before = median(logs.subspan(begin, k - begin));
      if (logs[k] - before <= kFloor) continue;
      const double middle = (before + logs[k]) / 2;
      std::size_t back = logs.size();
      while (logs[back - 1] < middle) --back;
      Rise rise{RegressionKind::step, k, {}, before, median(logs.subspan(k, back - k))};
      if (back < logs.size()) rise.back = back;
      rises_.push_back(rise);
      return;
    }
  }

  void take_drift(std::size_t begin, const SeriesReading& reading) {
    constexpr std::size_t kLevelRuns = 5;
    if (!reading.drift || !reading.drift->is_told(HistoryRule{}.level)) return;
    const double moved = sign_ * reading.drift->change;
    if (moved <= kFloor) return;
    const std::span<const double> logs(logs_);
    const double level = median(logs.last(std::min(kLevelRuns, logs.size())));
    rises_.push_back({RegressionKind::drift, begin, {}, level - moved, level});
  }

  const std::vector<PastRun>& runs_;
  const Series& series_;
  const double sign_;
  std::vector<double> logs_;
  std::vector<Rise> rises_;
};

/// Where a regression belongs: the names that decisions use.
struct Place {
  std::string_view suite, case_id, metric, device_class;
};

bool excuses(const Acknowledgement& known, const Place& place, const Regression& found,
             std::string_view today) {
  const LedgerEntry& entry = known.entry;
  if (entry.case_id != place.case_id || is_over(entry, today)) return false;
  if (!entry.suite.empty() && entry.suite != place.suite) return false;
  if (!known.device_class.empty() && known.device_class != place.device_class) return false;
  if (entry.kind == EntryKind::quarantined) return true;
  if (found.kind == RegressionKind::broken) return false;
  if (!entry.metric.empty() && entry.metric != place.metric) return false;
  return !entry.change || ((*entry.change > 0) == (found.change > 0) &&
                           std::abs(found.change) <= std::abs(*entry.change));
}

/// True if that run shows the regression. A run that is not in the history is located by its time.
bool shows(const AcceptedRun& accepted, const std::vector<PastRun>& runs, const Regression& found,
           std::span<const std::size_t> measured) {
  const auto is_same = [&](std::size_t run) {
    return runs[run].started_at == accepted.started_at &&
           runs[run].device_class == accepted.device_class;
  };
  const std::size_t end = found.back.value_or(runs.size());
  if (std::ranges::any_of(measured, [&](std::size_t run) {
        return run >= found.from && run < end && is_same(run);
      }))
    return true;
  for (std::size_t run = 0; run < runs.size(); ++run)
    if (is_same(run)) return false;
  return accepted.started_at > runs[found.from].started_at &&
         (!found.back || accepted.started_at < runs[*found.back].started_at);
}

void take_decisions(const Decisions& decisions, const Place& place,
                    const std::vector<PastRun>& runs, std::span<const std::size_t> measured,
                    Regression& found) {
  for (const Acknowledgement& known : decisions.ledger)
    if (!found.entry && excuses(known, place, found, decisions.today)) found.entry = known.entry;
  for (const AcceptedRun& accepted : decisions.accepted)
    if (accepted.suite == place.suite && accepted.device_class == place.device_class &&
        shows(accepted, runs, found, measured))
      found.accepted = accepted;  // the newest comes last
}

}  // namespace

RegressionState Regression::state() const {
  if (back) return RegressionState::fixed;
  if (accepted) return RegressionState::accepted;
  if (entry) return RegressionState::acknowledged;
  return left ? RegressionState::unmeasured : RegressionState::open;
}

std::vector<Regression> regressions_of(const std::vector<PastRun>& runs, const Series& series,
                                       const SeriesReading& reading,
                                       std::span<const std::string_view> verdicts,
                                       const Decisions& decisions) {
  static const RunInfo kNothingSaid;
  const auto better = better_of(kNothingSaid, series.metric, series.unit);
  if (!better || series.values.size() < 2) return {};
  const double sign = *better == Better::less ? 1 : -1;
  std::vector<std::size_t> measured;
  for (const PastValue& value : series.values) measured.push_back(value.run);
  std::vector<Regression> regressions;
  for (const Rise& rise : Rises(runs, series, sign).read(reading, verdicts)) {
    Regression found{.kind = rise.kind,
                     .from = measured[rise.from],
                     .change = std::expm1(sign * (rise.after - rise.before)),
                     .before = std::exp(sign * rise.before),
                     .after = std::exp(sign * rise.after)};
    if (rise.back) found.back = measured[*rise.back];
    take_decisions(decisions, {series.suite, series.case_id, series.metric, series.device_class},
                   runs, measured, found);
    regressions.push_back(std::move(found));
  }
  std::ranges::stable_sort(regressions, {}, &Regression::from);
  return regressions;
}

std::vector<Regression> breakages_of(const std::vector<PastRun>& runs, std::string_view suite,
                                     std::string_view case_id,
                                     std::span<const std::pair<std::size_t, Status>> outcomes,
                                     const Decisions& decisions) {
  constexpr Status kFailures[] = {Status::wrong, Status::crashed, Status::timeout,
                                  Status::out_of_memory};
  std::vector<Regression> regressions;
  std::set<std::string_view> had_time, fails;  // classes of devices
  std::vector<std::size_t> measured;
  for (const auto& [run, status] : outcomes) {
    const std::string_view device = runs[run].device_class;
    if (has_samples(status)) {
      had_time.insert(device);
      if (fails.erase(device) == 0) continue;
      for (Regression& found : regressions)
        if (!found.back && runs[found.from].device_class == device) found.back = run;
    } else if (std::ranges::find(kFailures, status) != std::end(kFailures)) {
      measured.push_back(run);
      if (had_time.contains(device) && fails.insert(device).second)
        regressions.push_back({.kind = RegressionKind::broken, .from = run});
    }
  }
  for (Regression& found : regressions)
    take_decisions(decisions, {suite, case_id, "", runs[found.from].device_class}, runs, measured,
                   found);
  return regressions;
}

std::optional<std::size_t> left_with(std::span<const SuiteSize> runs, std::size_t last) {
  constexpr std::size_t kBefore = 10;
  const auto held = std::ranges::find(runs, last, &SuiteSize::run);
  if (held == runs.end()) return std::nullopt;
  const std::size_t place = std::size_t(held - runs.begin()),
                    from = place - std::min(place, kBefore);
  const std::size_t all =
      std::ranges::max(runs.subspan(from, place - from + 1), {}, &SuiteSize::cases).cases;
  for (const SuiteSize& later : runs.subspan(place + 1))
    if (2 * later.cases >= all) return later.run;
  return std::nullopt;
}

}  // namespace plumbline
