#include "workflow/results/input_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <iterator>
#include <map>
#include <tuple>

#include "core/error.h"
#include "core/parallel.h"
#include "core/words.h"
#include "store/run/baseline.h"
#include "store/run/locate.h"
#include "store/run/run_reader.h"
#include "workflow/setup/project.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Labels of environment entries that differ and may explain differences.
std::string differing(const Environment& a, const Environment& b) {
  std::string labels;
  for (const EnvironmentField& field : environment_fields())
    if (field.kind != EnvironmentKind::note && field.text(a) != field.text(b))
      labels += (labels.empty() ? "" : ", ") + std::string(field.label);
  return labels;
}

std::optional<std::string> baseline_file(const std::string& folder, const Environment& environment,
                                         const std::string& suite) {
  if (auto found = find_baseline(folder, environment, suite)) return found;
  std::string here = folder + "/" + file_name_of(suite) + ".csv";
  std::error_code none;  // for names that are too long
  if (fs::is_regular_file(here, none)) return here;
  return std::nullopt;
}

/// True for a run of an older Plumbline, which recorded only the words of the command.
bool is_of_earlier_plumbline(const Run& run) {
  const auto is_file = [](const SuiteRef& suite) { return !suite.path.empty(); };
  return !run.info.asked && !run.info.acceptance &&
         std::ranges::any_of(run.info.suites, is_file);  // imported suites have no path
}

}  // namespace

bool is_baselines_folder(const std::string& path) {
  return fs::is_directory(path) && !fs::exists(fs::path(path) / "run.json");
}

Run joined(std::vector<Run> runs, const std::string& path) {
  Run whole = std::move(runs.front());
  std::set<CaseKey> known;
  for (const ResultRow& row : whole.rows) known.insert({row.suite, row.case_id});
  for (std::size_t i = 1; i < runs.size(); ++i) {
    Run& next = runs[i];
    const auto check = [&](const std::string& what, const std::string& a, const std::string& b) {
      if (a != b)
        throw Error(whole.path + " and " + next.path + " cannot be joined: " + what + " '" + a +
                    "' and '" + b + "'");
    };
    check("device class", whole.info.environment.device_class, next.info.environment.device_class);
    check("measurement revision", std::to_string(whole.info.measurement_revision),
          std::to_string(next.info.measurement_revision));
    if (const std::string labels = differing(whole.info.environment, next.info.environment);
        !labels.empty())
      whole.warnings.push_back(next.path + " was measured under other conditions than " +
                               whole.path + ": " + labels);
    std::set<CaseKey> added;
    for (const ResultRow& row : next.rows) {
      if (known.contains({row.suite, row.case_id}))
        throw Error(whole.path + " and " + next.path + " both hold the case '" + row.case_id +
                    "' of suite " + row.suite + "; only parts without a case in common are joined");
      added.insert({row.suite, row.case_id});
    }
    known.merge(added);
    std::ranges::move(next.rows, std::back_inserter(whole.rows));
    std::ranges::move(next.warnings, std::back_inserter(whole.warnings));
    for (SuiteRef& suite : next.info.suites)
      if (std::ranges::find(whole.info.suites, suite.name, &SuiteRef::name) ==
          whole.info.suites.end())
        whole.info.suites.push_back(std::move(suite));
    for (const ExpectedFailure& expected : next.info.expected)  // shards expect the same
      if (std::ranges::find(whole.info.expected, expected) == whole.info.expected.end())
        whole.info.expected.push_back(expected);
  }
  if (!path.empty()) whole.path = path;
  return whole;
}

std::set<std::string> suites_of(const Run& run) {
  std::set<std::string> names;
  for (const ResultRow& row : run.rows)
    if (!names.contains(row.suite)) names.insert(row.suite);
  return names;
}

namespace {

/// Joins parts with one suite each to the runs that they came from.
std::vector<Run> runs_joined(std::vector<Run> parts) {
  std::map<std::tuple<std::string, std::string, std::string>, Run> runs;
  for (Run& part : parts) {
    const RunInfo& info = part.info;
    const auto [place, is_new] = runs.try_emplace(
        {info.started_at, info.environment.device_uuid(), info.shard}, std::move(part));
    if (!is_new) std::ranges::move(part.rows, std::back_inserter(place->second.rows));
  }
  std::vector<Run> whole;
  for (auto& [identity, run] : runs) whole.push_back(std::move(run));
  return whole;
}

/// The baselines in `folder` for the suites of the candidate and its device class, joined.
std::optional<Baseline> read_baselines(const std::string& folder, const Run& candidate) {
  const std::set<std::string> held = suites_of(candidate);
  // Includes suites without results in the run: their baseline's cases are then missing.
  std::set<std::string> names = held;
  for (const SuiteRef& suite : candidate.info.suites) names.insert(suite.name);
  std::vector<Run> parts, others;
  std::string missing;
  for (const std::string& suite : names) {
    const auto file = baseline_file(folder, candidate.info.environment, suite);
    if (file) {
      Baseline found = baseline_of(read_accepted(*file), candidate);
      parts.push_back(std::move(found.run));
      std::ranges::move(found.others, std::back_inserter(others));
    } else if (held.contains(suite)) {
      missing += (missing.empty() ? "" : ", ") + suite;
    }
  }
  if (parts.empty()) return std::nullopt;
  Baseline whole{joined(std::move(parts), folder), runs_joined(std::move(others))};
  if (!missing.empty())
    whole.run.warnings.push_back("no accepted baseline in " + folder + " for suite " + missing);
  return whole;
}

}  // namespace

bool is_of_whole_suites(const Run& run) {
  return run.info.asked && run.info.asked->selects_all() && run.info.shard.empty();
}

namespace {

/// A run of selected cases lacks none of the other cases.
void leave_out_unselected(Run& baseline, const Run& candidate) {
  if (is_of_whole_suites(candidate) || candidate.info.finished_at.empty()) return;
  std::set<std::pair<std::string_view, std::string_view>> selected, left_out;
  for (const ResultRow& row : candidate.rows) selected.insert({row.suite, row.case_id});
  const SuiteRules rules = rules_of(candidate);
  for (const auto& [before, after] : rules.options.renames)
    if (selected.contains({before.suite, after})) selected.insert({before.suite, before.case_id});
  for (const ResultRow& row : baseline.rows)
    if (!selected.contains({row.suite, row.case_id})) left_out.insert({row.suite, row.case_id});
  if (left_out.empty()) return;
  baseline.warnings.push_back(
      fmt::format("{} of the baseline {} not selected by this run's command, and not compared",
                  counted(left_out.size(), "case"), left_out.size() == 1 ? "was" : "were"));
  std::erase_if(baseline.rows, [&](const ResultRow& row) {
    return !selected.contains({row.suite, row.case_id});
  });
}

}  // namespace

std::vector<Run> read_runs(const std::vector<std::string>& paths, Talk& talk) {
  std::vector<Run> runs = read_runs(paths);
  for (const Run& run : runs) {
    talk.notes(run.warnings);
    if (run.info.finished_at.empty()) talk.note(run.path + " is not finished");
  }
  return runs;
}

std::optional<Baseline> read_baseline(const std::string& path, const Run& candidate) {
  std::optional<Baseline> found = is_baselines_folder(path)
                                      ? read_baselines(path, candidate)
                                      : baseline_of(read_accepted(path), candidate);
  if (found) leave_out_unselected(found->run, candidate);
  return found;
}

InputRuns read_input_runs(const std::string& baseline, const std::string& candidate) {
  InputRuns inputs;
  if (is_baselines_folder(baseline)) {
    inputs.candidate = read_run(candidate);
    inputs.baseline = read_baseline(baseline, inputs.candidate);
    return inputs;
  }
  auto reading = std::async(kThreadIfAny, read_accepted, baseline);
  inputs.candidate = read_run(candidate);
  inputs.baseline = baseline_of(reading.get(), inputs.candidate);
  leave_out_unselected(inputs.baseline->run, inputs.candidate);
  return inputs;
}

SuiteRules rules_of(const Run& run) {
  SuiteRules rules;
  for (const SuiteRef& suite : run.info.suites) {
    for (const auto& [id, threshold] : suite.thresholds)
      rules.options.thresholds[{suite.name, id}] = threshold;
    for (const auto& [before, after] : suite.renames)
      rules.options.renames[{suite.name, before}] = after;
  }
  if (is_of_earlier_plumbline(run))
    rules.notes.push_back(run.path +
                          ": measured by an earlier Plumbline, which did not record thresholds of "
                          "single cases and renames: they are not applied");
  return rules;
}

DeclaredCases declared_cases(const Run& run) {
  DeclaredCases declared;
  for (const SuiteRef& suite : run.info.suites) {
    for (const std::string& id : suite.cases) declared.order.push_back({suite.name, id});
    if (suite.cases.empty() && !suite.path.empty()) declared.unread.push_back(suite.name);
  }
  return declared;
}

std::optional<std::string> home_of(const Run& run) {
  for (const auto& find : {recorded_suite, edited_suite})
    for (const SuiteRef& ref : run.info.suites)
      if (auto file = find(ref, run)) return file;
  return std::nullopt;
}

}  // namespace plumbline
