// Variance of a case between runs (history.h).
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "analysis/history/history.h"
#include "analysis/history/levels.h"
#include "analysis/variance/other_device.h"
#include "core/parallel.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// Fewer cases cannot show what a run's cases share.
constexpr std::size_t kShareFrom = 12;
constexpr std::size_t kVarianceFrom = 3;
constexpr std::size_t kFloorFrom = 10;
constexpr double kMediansOfFloor = 3;
/// Number of runs at the baseline's level that define the level: earlier ones may be outdated.
constexpr std::size_t kCenterRuns = 15;

/// The value of a run that is compared.
double log_of(const PastValue& value) {
  return value.visits.empty() ? std::log(value.estimate) : middle_of_visits(value.visits);
}

/// The common shift of each run: the median deviation of its cases from their own medians.
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

/// A series on one machine, in the order of time, without what whole runs share.
struct MachineLogs {
  std::vector<double> logs;
  std::optional<std::size_t> baseline, candidate;  // indexes of these runs
  std::set<std::string_view> boots;                // of all runs except the candidate
};

/// The common shift of each run of a history, and the machine of each run.
struct RunTraits {
  std::vector<double> shifts;
  std::vector<std::size_t> machines;
};

/// By machine number.
std::map<std::size_t, MachineLogs> logs_by_machine(const History& history, const Series& series,
                                                   const RunTraits& traits) {
  std::map<std::size_t, MachineLogs> machines;
  for (const PastValue& value : series.values) {
    const PastRun& run = history.runs[value.run];
    MachineLogs& machine = machines[traits.machines[value.run]];
    if (!run.is_candidate && !run.boot_id.empty()) machine.boots.insert(run.boot_id);
    if (run.is_baseline) machine.baseline = machine.logs.size();
    if (run.is_candidate) machine.candidate = machine.logs.size();
    machine.logs.push_back(log_of(value) - (series.unit == "s" ? traits.shifts[value.run] : 0));
  }
  return machines;
}

/// The levels of a machine, in order of time, without the candidate.
struct Levels {
  std::vector<std::vector<double>> levels;
  const std::vector<double>* of_baseline = nullptr;
  bool are_of_candidate = false;  // it is the candidate's machine
};

Levels levels_of(const MachineLogs& machine) {
  const std::span<const double> logs = machine.logs;
  const std::vector<std::size_t> starts = level_starts(logs, machine.baseline == 0);
  Levels found;
  found.are_of_candidate = machine.candidate.has_value();
  found.levels.reserve(starts.size());
  for (const std::size_t start : starts) {
    const LevelRange range = level_of(starts, start, logs.size());
    std::vector<double>& level = found.levels.emplace_back();
    for (std::size_t i = range.begin; i < range.end; ++i)
      if (i != machine.candidate) level.push_back(logs[i]);
    if (machine.baseline && range.begin <= *machine.baseline && *machine.baseline < range.end)
      found.of_baseline = &level;
  }
  return found;
}

/// Sets the level of the latest runs at the baseline's level.
void set_center(const std::vector<double>& level, RunVariance& found) {
  found.center_runs = std::min(level.size(), kCenterRuns);
  found.center = median(std::span(level).last(found.center_runs));
}

/// Pooled variance of visits within the runs of a series.
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

/// Machines other than the candidate's, each with the level of its latest runs.
struct MachineCenters {
  std::vector<double> centers;
  double inverse_runs = 0;  // sum over machines of 1 / runs

  void add(const Levels& levels) {
    if (levels.are_of_candidate || levels.levels.back().empty()) return;
    RunVariance level;
    set_center(levels.levels.back(), level);
    centers.push_back(level.center);
    inverse_runs += 1 / double(level.center_runs);
  }

  /// Variance of a run on one more machine. `within`: that of runs on one machine.
  RunVariance between(const RunVariance& within) const {
    const auto machines = double(centers.size());
    return {.variance = variance(centers) + (1 - inverse_runs / machines) * within.variance,
            .df = machines - 1,
            .floor = within.floor,
            .center = middle_of_visits(centers),
            .center_runs = centers.size(),
            .is_of_machines = true};
  }
};

/// What runs on one machine show.
struct Within {
  RunVariance found;
  double squares = 0;
  std::size_t boots_again = 0;  // boots of a machine after its first
  std::vector<double> steps;    // differences between successive runs

  void add(const MachineLogs& machine, const Levels& levels) {
    boots_again += machine.boots.empty() ? 0 : machine.boots.size() - 1;
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

  void finish() {
    if (found.df > 0) found.variance = squares / found.df;
    if (steps.size() + 1 >= kFloorFrom) found.floor = kMediansOfFloor * median(steps);
    found.holds_boots = boots_again + 1 >= kVarianceFrom;
  }
};

RunVariance variance_of(const History& history, const Series& series, const RunTraits& traits) {
  Within within;
  MachineCenters others;
  bool is_on_new_machine = false;  // the candidate
  for (const auto& [number, machine] : logs_by_machine(history, series, traits)) {
    const Levels levels = levels_of(machine);
    within.add(machine, levels);
    others.add(levels);
    is_on_new_machine = is_on_new_machine || (levels.are_of_candidate && machine.logs.size() == 1);
  }
  within.finish();
  RunVariance found = within.found;
  if (is_on_new_machine && others.centers.size() >= kVarianceFrom)
    found = others.between(found);
  else if (found.df + 1 < double(kVarianceFrom))
    return {};
  set_visit_variance(history, series, found);
  return found;
}

}  // namespace

MachineMarks marks_of(const PastRun& run) { return {run.device_uuid, run.host, run.boot_id}; }

std::vector<std::size_t> machines_of(const std::vector<PastRun>& runs) {
  std::vector<MachineMarks> marks;
  for (const PastRun& run : runs) marks.push_back(marks_of(run));
  return machines_of(marks);
}

std::vector<RunVariance> run_variances(const History& history) {
  const RunTraits traits{run_shifts(history), machines_of(history.runs)};
  std::vector<RunVariance> variances(history.series.size());
  for_each_index(variances.size(), [&](std::size_t k) {
    variances[k] = variance_of(history, history.series[k], traits);
  });
  return variances;
}

}  // namespace plumbline
