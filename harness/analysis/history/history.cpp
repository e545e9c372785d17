#include "analysis/history/history.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/history/levels.h"
#include "core/moment.h"
#include "core/parallel.h"
#include "core/run/case.h"
#include "core/run/run_identity.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

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

/// Fewer cases than this cannot tell what a run shares.
constexpr std::size_t kShareFrom = 12;
constexpr std::size_t kVarianceFrom = 3;
constexpr std::size_t kFloorFrom = 10;
constexpr double kMediansOfFloor = 3;
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
};

Levels levels_of(const DeviceLogs& device) {
  const std::span<const double> logs = device.logs;
  const std::vector<std::size_t> starts = level_starts(logs, device.baseline == 0);
  Levels found;
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

RunVariance variance_of(const History& history, const Series& series,
                        const std::vector<double>& shifts) {
  RunVariance found;
  double squares = 0;
  std::vector<double> steps;  // from run to run
  for (const auto& [uuid, device] : logs_by_device(history, series, shifts)) {
    const Levels levels = levels_of(device);
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
  if (found.df + 1 < double(kVarianceFrom)) return {};
  found.variance = squares / found.df;
  if (steps.size() + 1 >= kFloorFrom) found.floor = kMediansOfFloor * median(steps);
  set_visit_variance(history, series, found);
  return found;
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

}  // namespace plumbline
