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

/// The host's times move together, and not with those of the GPU (compare/shifts.h).
bool is_of_host(const Series& series) { return series.metric == "host_time"; }

/// For each series, the number of its case. The metrics of a case are adjacent.
std::vector<std::size_t> numbers_of_cases(const std::vector<Series>& series) {
  std::vector<std::size_t> numbers(series.size());
  for (std::size_t i = 1; i < series.size(); ++i) {
    const bool is_same =
        series[i].case_id == series[i - 1].case_id && series[i].suite == series[i - 1].suite;
    numbers[i] = numbers[i - 1] + (is_same ? 0 : 1);
  }
  return numbers;
}

/// What the cases of a run deviate by from their own medians.
struct RunDeviations {
  std::vector<double> logs;  // of all its metrics
  std::size_t cases = 0, last_case = ~std::size_t{0};

  void add(std::size_t number, double log) {
    logs.push_back(log);
    cases += number != last_case;
    last_case = number;
  }
};

/// The common shift of each run: the median deviation of its cases from their own medians. Of the
/// host's times, or of all others. None for few cases: a candidate's is not removed then either
/// (compare/shifts.h).
std::vector<double> run_shifts(const History& history, const HistoryPart& part, bool of_host) {
  const auto is_of_part = [&](const Series& series, const PastValue& value) {
    return series.unit == "s" && is_of_host(series) == of_host &&
           part.numbers[value.run] != HistoryPart::kLeftOut;
  };
  std::vector<double> middles(history.series.size());
  for_each_share(middles.size(), [&](std::size_t begin, std::size_t end) {
    std::vector<double> logs;
    for (std::size_t i = begin; i < end; ++i) {
      const Series& series = history.series[i];
      logs.clear();
      for (const PastValue& value : series.values)
        if (is_of_part(series, value)) logs.push_back(value.log);
      if (!logs.empty()) middles[i] = median(logs);
    }
  });
  const std::vector<std::size_t> cases = numbers_of_cases(history.series);
  std::vector<double> shifts(part.runs.size());
  std::vector<RunDeviations> deviations(part.runs.size());
  for (RunDeviations& of_run : deviations) of_run.logs.reserve(history.series.size());
  for (std::size_t i = 0; i < middles.size(); ++i)
    for (const PastValue& value : history.series[i].values)
      if (is_of_part(history.series[i], value))
        deviations[part.numbers[value.run]].add(cases[i], value.log - middles[i]);
  for_each_index(shifts.size(), [&](std::size_t run) {
    shifts[run] = deviations[run].cases < kShareFrom ? 0 : median(deviations[run].logs);
  });
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
  std::vector<double> shifts, host_shifts;
  std::vector<std::size_t> machines;

  double shift(const Series& series, std::size_t run) const {
    if (series.unit != "s") return 0;
    return is_of_host(series) ? host_shifts[run] : shifts[run];
  }
};

/// By machine number.
std::map<std::size_t, MachineLogs> logs_by_machine(const HistoryPart& part, const Series& series,
                                                   const RunTraits& traits) {
  std::map<std::size_t, MachineLogs> machines;
  for (const PastValue& value : series.values) {
    const std::size_t number = part.numbers[value.run];
    if (number == HistoryPart::kLeftOut) continue;
    const PastRun& run = part.runs[number];
    MachineLogs& machine = machines[traits.machines[number]];
    if (!run.is_candidate && !run.boot_id.empty()) machine.boots.insert(run.boot_id);
    if (run.is_baseline) machine.baseline = machine.logs.size();
    if (run.is_candidate) machine.candidate = machine.logs.size();
    machine.logs.push_back(value.log - traits.shift(series, number));
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
void set_visit_variance(const HistoryPart& part, const Series& series, RunVariance& found) {
  double squares = 0;
  for (const PastValue& value : series.values) {
    const std::size_t number = part.numbers[value.run];
    if (number == HistoryPart::kLeftOut) continue;
    if (value.visits < 2 || part.runs[number].is_candidate) continue;
    const auto df = double(value.visits - 1);
    squares += variance(series.visits_of(value)) * df;
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
      const bool is_judged_by = &level == levels.of_baseline && machine.candidate;
      const std::vector<double> kept = without_strays(
          level, is_judged_by ? std::optional(machine.logs[*machine.candidate]) : std::nullopt);
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

RunVariance variance_of(const HistoryPart& part, const Series& series, const RunTraits& traits) {
  Within within;
  MachineCenters others;
  bool is_on_new_machine = false;  // the candidate
  for (const auto& [number, machine] : logs_by_machine(part, series, traits)) {
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
  set_visit_variance(part, series, found);
  return found;
}

}  // namespace

MachineMarks marks_of(const PastRun& run) { return {run.device_uuid, run.host, run.boot_id}; }

std::vector<std::size_t> machines_of(const std::vector<PastRun>& runs) {
  std::vector<MachineMarks> marks;
  for (const PastRun& run : runs) marks.push_back(marks_of(run));
  return machines_of(marks);
}

std::vector<RunVariance> run_variances(const History& history, const HistoryPart& part) {
  const RunTraits traits{run_shifts(history, part, /*of_host=*/false),
                         run_shifts(history, part, /*of_host=*/true), machines_of(part.runs)};
  std::vector<RunVariance> variances(history.series.size());
  for_each_index(variances.size(), [&](std::size_t k) {
    variances[k] = variance_of(part, history.series[k], traits);
  });
  return variances;
}

std::vector<RunVariance> run_variances(const History& history) {
  HistoryPart whole{history.runs, {}};
  for (std::size_t i = 0; i < history.runs.size(); ++i) whole.numbers.push_back(i);
  return run_variances(history, whole);
}

}  // namespace plumbline
