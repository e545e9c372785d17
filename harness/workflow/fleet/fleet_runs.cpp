#include "workflow/fleet/fleet_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <span>

#include "analysis/fleet/judge.h"
#include "analysis/fleet/nights.h"
#include "core/error.h"
#include "core/moment.h"
#include "core/parallel.h"
#include "core/words.h"
#include "store/run/accepted_runs.h"
#include "store/run/counted_runs.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"
#include "store/run/summary.h"
#include "workflow/fleet/rule_file.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBatch = 64;  // runs in memory at a time

/// What a folder is: a run, or a folder of runs.
std::vector<std::string> runs_at(const std::string& path) {
  if (fs::exists(fs::path(path) / "run.json")) return {path};
  std::vector<std::string> runs;
  for (const fs::directory_entry& entry : fs::directory_iterator(path))
    if (fs::is_regular_file(entry.path() / "run.json")) runs.push_back(entry.path().string());
  if (runs.empty())
    throw Error(path +
                ": found no run.json in it or in a folder of it; name runs, or a folder of them");
  std::ranges::sort(runs);
  return runs;
}

/// The date on which the night of a time began, from noon to noon UTC.
std::string night_of(const std::string& started_at) {
  constexpr std::int64_t kHalfDay_s = 12 * 3600;
  auto moment = moment_of(started_at);
  if (!moment) return "unknown date";
  if (!is_date_alone(started_at)) moment->seconds -= kHalfDay_s;
  return utc_text(*moment).substr(0, 10);
}

/// A run before its rows are read; those of a baseline are there already.
struct NamedRun {
  std::string path, night;
  std::optional<Summary> accepted = {};
};

/// Finds runs, and leaves out those that do not count.
class RunFinder {
 public:
  RunFinder(const FleetRequest& request, Talk& talk) : request_(request), talk_(talk) {}

  void add_directories(std::span<const std::string> paths) {
    const CountedRuns counted = counted_runs(paths);
    for (const RunToCount& run : counted.runs) add({run.path, run.started_at});
    const std::size_t shown = std::min(kMostNotes, counted.notes.size());
    for (std::size_t i = 0; i < shown; ++i) talk_.note(counted.notes[i]);
    if (const std::size_t rest = counted.notes.size() - shown; rest > 0)
      talk_.note(
          fmt::format("{} on runs that are left out", plumbline::counted(rest, "more note")));
  }

  void add_baseline(const std::string& path) {
    for (const Run& run : read_accepted(path).runs)
      add({path, run.info.started_at, Summary{run.info, summarize(run), path}});
  }

  std::vector<NamedRun> runs() && {
    if (runs_.empty())
      throw Error("found no finished run; a fleet report needs runs of several devices");
    std::ranges::stable_sort(runs_, {}, &NamedRun::night);
    return std::move(runs_);
  }

 private:
  void add(NamedRun run) {
    run.night = request_.pools_nights ? "all" : night_of(run.night);
    runs_.push_back(std::move(run));
  }

  static constexpr std::size_t kMostNotes = 5;

  const FleetRequest& request_;
  Talk& talk_;
  std::vector<NamedRun> runs_;
};

std::vector<NamedRun> named_runs(const FleetRequest& request, Talk& talk) {
  RunFinder finder(request, talk);
  std::vector<std::string> directories;
  for (const std::string& path : request.runs)
    if (fs::is_directory(path))
      std::ranges::move(runs_at(path), std::back_inserter(directories));
    else
      finder.add_baseline(path);
  finder.add_directories(directories);
  return std::move(finder).runs();
}

Summary summary_of(NamedRun& named) {
  if (named.accepted) return *std::move(named.accepted);
  try {
    return read_summary(named.path);
  } catch (const StaleSummary&) {  // made from the results instead
    const Run run = read_run(named.path);
    return {run.info, summarize(run), named.path};
  }
}

void require_metrics(const FleetRequest& request, const std::set<std::string>& held) {
  std::string all;
  for (const std::string& name : held) all += (all.empty() ? "" : ", ") + name;
  for (const std::string& metric : request.metrics)
    if (!held.contains(metric))
      throw Error("--metrics " + metric + ": the runs have no such metric; they have: " + all);
}

}  // namespace

FleetReport fleet_of_runs(const FleetRequest& request, Talk& talk) {
  std::vector<FleetRuleLine> rules;
  if (!request.rules.empty()) rules = read_fleet_rules(request.rules);
  std::vector<NamedRun> runs = named_runs(request, talk);
  FleetNights nights(request.metrics);
  std::set<std::string> metrics;
  std::vector<Summary> batch;
  for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
    while (end < runs.size() && end - begin < kBatch && runs[end].night == runs[begin].night) ++end;
    talk.now(fmt::format("{} of {} read", begin, counted(runs.size(), "run")));
    batch.assign(end - begin, {});
    for_each_index(batch.size(), [&](std::size_t i) { batch[i] = summary_of(runs[begin + i]); });
    for (const Summary& summary : batch) {
      for (const CaseSummary& row : summary.rows) metrics.insert(row.metric);
      nights.add(summary.info, summary.rows, summary.path);
    }
    if (end == runs.size() || runs[end].night != runs[begin].night)
      nights.end_night(runs[begin].night);
  }
  talk.now("");
  metrics.erase("");
  require_metrics(request, metrics);
  FleetReport report{judge_fleet(std::move(nights).finish(), request.rule), std::nullopt};
  talk.notes(report.fleet.notes);
  if (report.fleet.units.empty())
    throw Error("the runs name no device; expected results with the UUID of their device");
  if (!rules.empty()) report.decision = decide(report.fleet, std::move(rules));
  return report;
}

}  // namespace plumbline
