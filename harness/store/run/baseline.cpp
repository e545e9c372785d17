#include "store/run/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "analysis/estimate/estimate.h"
#include "core/error.h"
#include "core/suite_name.h"
#include "store/csv/csv_reader.h"
#include "store/file.h"
#include "store/folder.h"
#include "store/run/accepted_runs.h"
#include "store/run/locate.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Conditions that differ from the earlier baseline, of kinds that can explain differences.
std::vector<std::string> differing_conditions(const Environment& before, const Environment& now) {
  std::vector<std::string> notes;
  for (const EnvironmentField& field : environment_fields()) {
    const std::string was = field.text(before), is = field.text(now);
    if (field.kind == EnvironmentKind::note || was == is) continue;
    notes.push_back(std::string(field.label) + ": kept cases were measured with '" + was +
                    "', the others with '" + is + "'");
  }
  return notes;
}

using CaseIds = std::set<std::string, std::less<>>;

struct Draft {
  AcceptedSuite report;
  AcceptedRuns runs;  // the last is the run that is accepted
};

std::string json_path(const std::string& csv) {
  return fs::path(csv).replace_extension(".json").string();
}

enum class Holding { nothing, this_class, others };

/// Which device class the baselines in `folder` belong to.
Holding holding_of(const fs::path& folder, const std::string& device_class) {
  Holding found = Holding::nothing;
  for (const fs::path& entry : entries_of(folder)) {
    const std::string json = json_path(entry.string());
    if (entry.extension() != ".csv" || !fs::exists(json)) continue;
    if (read_run_json(json).info.environment.device_class == device_class)
      return Holding::this_class;
    found = Holding::others;
  }
  return found;
}

std::string csv_path(const std::string& baselines, const Environment& environment,
                     const std::string& suite) {
  return (fs::path(baselines) / baseline_folder(baselines, environment) /
          (file_name_of(suite) + ".csv"))
      .string();
}

/// The state of a case in a run; it decides whether earlier runs of the case are still valid.
struct CaseState {
  std::string revision;
  bool has_samples = false;
  bool operator==(const CaseState&) const = default;
};
using CaseStates = std::map<std::string, CaseState, std::less<>>;

CaseStates states_of(const std::vector<CaseRows>& cases) {
  CaseStates states;
  for (const CaseRows& found : cases)
    states[std::string(found.case_id)] = {std::string(found.revision), has_samples(found.status)};
  return states;
}

/// Adds the run's cases of the suite to the draft's last run, and returns the measured ones.
std::vector<CaseRows> add_measured(const std::vector<CaseRows>& cases, Draft& draft) {
  std::vector<CaseRows> measured;
  for (const CaseRows& found : cases) {
    if (found.suite != draft.report.suite) continue;
    const std::string words = std::string(found.case_id) + ": " +
                              std::string(name_of(found.status)) +
                              (found.reason.empty() ? "" : " ") + found.reason;
    if (!found.measured() && found.status == Status::interrupted) {
      draft.report.left_out.push_back(words);
      continue;
    }
    measured.push_back(found);
    if (has_samples(found.status))
      ++draft.report.cases;
    else if (found.status == Status::excluded || found.status == Status::unsupported)
      ++draft.report.not_run;
    else
      draft.report.not_ok.push_back(words);
    for (const ResultRow* row : found.rows)
      if (row->status != Status::interrupted) draft.runs.runs.back().rows.push_back(*row);
  }
  return measured;
}

/// "accepted by Ada on 2026-11-20: the new driver".
std::string acceptance_text(const RunInfo& info) {
  const Acceptance known = info.acceptance.value_or(Acceptance{});
  std::string text = "accepted";
  if (!known.by.empty()) text += " by " + known.by;
  if (!known.at.empty()) text += " on " + known.at.substr(0, known.at.find('T'));
  return known.why.empty() ? text : text + ": " + known.why;
}

void require_same_class(const Run& earlier, const Environment& now, const std::string& path) {
  const Environment& before = earlier.info.environment;
  if (before.device_class != now.device_class)
    throw Error(path + ": found a baseline of device class '" + before.device_class +
                "', expected '" + now.device_class +
                "' as of others in its folder; move the baselines of that class to the folder " +
                device_folders(before).back() + " beside it");
}

/// The part of earlier runs that is still valid beside the accepted run.
class Earlier {
 public:
  Earlier(const CaseStates& now, const AcceptOptions& options, AcceptedSuite& report)
      : now_(now), options_(options), report_(report) {}

  /// Drops the rows that are no longer valid; reports each case once.
  void filter(std::vector<Run>& runs) {
    for (Run& run : runs) {
      const CaseStates then = states_of(rows_by_case(run));
      std::erase_if(run.rows, [&](const ResultRow& row) {
        return is_dropped(row.case_id, then.find(row.case_id)->second);
      });
    }
    std::erase_if(runs, [](const Run& run) { return run.rows.empty(); });
    const auto tell = [](const CaseIds& ids, std::vector<std::string>& list) {
      list.assign(ids.begin(), ids.end());
    };
    tell(kept_, report_.kept);
    tell(dropped_, report_.dropped);
    tell(anew_, report_.anew);
  }

 private:
  bool is_dropped(const std::string& case_id, const CaseState& then) {
    const auto now = now_.find(case_id);
    if (now == now_.end()) {
      const bool is_kept = options_.unmeasured == Unmeasured::keep;
      (is_kept ? kept_ : dropped_).insert(case_id);
      return !is_kept;
    }
    const bool is_other =
        now->second != then || options_.changed.contains({report_.suite, case_id});
    if (is_other) anew_.insert(case_id);
    return is_other;
  }

  const CaseStates& now_;
  const AcceptOptions& options_;
  AcceptedSuite& report_;
  CaseIds kept_, dropped_, anew_;
};

/// Drops runs in which the metrics have another meaning. Throws Error if cases to keep are only in
/// them.
void drop_other_revisions(const RunInfo& now, AcceptedSuite& report, std::vector<Run>& earlier) {
  const auto is_other = [&](const Run& run) {
    return run.info.measurement_revision != now.measurement_revision;
  };
  const auto other = std::ranges::find_if(earlier, is_other);
  if (other == earlier.end()) return;
  if (!report.kept.empty())
    throw Error(report.path +
                ": found cases that the run did not measure, of measurement revision " +
                std::to_string(other->info.measurement_revision) + ", expected " +
                std::to_string(now.measurement_revision) +
                " as in the run; accept a run of the whole suite");
  report.replaced = acceptance_text(earlier.back().info);
  std::erase_if(earlier, is_other);
}

/// Puts the valid part of the earlier baseline before the accepted run.
void merge_earlier(const CaseStates& measured, const AcceptOptions& options, Draft& draft) {
  AcceptedSuite& report = draft.report;
  if (!fs::exists(report.path) && !fs::exists(json_path(report.path))) return;
  const RunInfo& now = draft.runs.runs.back().info;
  std::vector<Run> earlier = read_accepted(report.path).runs;
  for (const Run& run : earlier) require_same_class(run, now.environment, report.path);
  const std::string newest = acceptance_text(earlier.back().info);
  std::erase_if(earlier, [&](const Run& run) {
    return run.info.acceptance && run.info.acceptance->source_hash == now.acceptance->source_hash;
  });
  if (options.replaces) {
    report.replaced = newest;
    return;
  }
  Earlier(measured, options, report).filter(earlier);
  drop_other_revisions(now, report, earlier);
  if (!report.kept.empty())
    report.notes = differing_conditions(earlier.back().info.environment, now.environment);
  draft.runs.runs.insert(draft.runs.runs.begin(), std::move_iterator(earlier.begin()),
                         std::move_iterator(earlier.end()));
}

/// Whether later runs have all its cases.
bool is_outdated(const std::vector<Run>& runs, std::size_t i) {
  CaseIds later;
  for (std::size_t k = i + 1; k < runs.size(); ++k)
    for (const ResultRow& row : runs[k].rows) later.insert(row.case_id);
  return std::ranges::all_of(runs[i].rows,
                             [&](const ResultRow& row) { return later.contains(row.case_id); });
}

/// Reduces to kMostAccepted runs, without losing a case. Prefers to keep different cards over
/// different days.
void drop_oldest(std::vector<Run>& runs) {
  while (runs.size() > kMostAccepted) {
    std::map<std::string, std::size_t> of_device;
    for (const Run& run : runs) ++of_device[run.info.environment.device_uuid()];
    std::optional<std::size_t> oldest;
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
      const auto runs_of = [&](std::size_t k) {
        return of_device[runs[k].info.environment.device_uuid()];
      };
      if (is_outdated(runs, i) && (!oldest || runs_of(i) > runs_of(*oldest))) oldest = i;
    }
    if (!oldest) return;
    runs.erase(runs.begin() + std::ptrdiff_t(*oldest));
  }
}

void count_runs(const std::vector<Run>& runs, AcceptedSuite& report) {
  CaseIds devices, days;
  for (const Run& run : runs) {
    devices.insert(run.info.environment.device_uuid());
    days.insert(run.info.started_at.substr(0, run.info.started_at.find('T')));
  }
  report.runs = runs.size();
  report.devices = devices.size();
  report.days = days.size();
}

/// The part of run.json that a baseline keeps.
RunInfo info_for(const std::string& suite, const RunInfo& run, const Acceptance& acceptance) {
  RunInfo info = run;
  info.acceptance = acceptance;
  std::erase_if(info.suites, [&](const SuiteRef& ref) { return ref.name != suite; });
  for (SuiteRef& ref : info.suites) ref.cases.clear();
  std::erase_if(info.expected,
                [&](const ExpectedFailure& expected) { return expected.suite != suite; });
  return info;
}

Draft draft_of(const Run& run, const std::vector<CaseRows>& cases, const std::string& suite,
               const std::string& baselines, const Acceptance& acceptance,
               const AcceptOptions& options) {
  const Environment& environment = run.info.environment;
  Draft draft;
  draft.report.suite = draft.runs.suite = suite;
  draft.report.path = draft.runs.path = csv_path(baselines, environment, suite);
  draft.runs.runs.push_back({info_for(suite, run.info, acceptance), {}, draft.report.path, {}});
  merge_earlier(states_of(add_measured(cases, draft)), options, draft);
  drop_oldest(draft.runs.runs);
  count_runs(draft.runs.runs, draft.report);
  const std::string folder = fs::path(draft.report.path).parent_path().filename().string();
  if (const std::string usual = device_slug(environment); folder != usual)
    draft.report.notes.push_back(usual + " holds baselines of another device class; those of '" +
                                 environment.device_class + "' are in " + folder);
  return draft;
}

void write(const Draft& draft) {
  const std::string& path = draft.report.path;
  make_folders(fs::path(path).parent_path().string(), "the folder of the baseline");
  write_accepted(draft.runs);
}

void require_fit(const Run& run, const std::vector<CaseRows>& cases) {
  if (run.info.acceptance)
    throw Error(run.path + ": found a baseline, expected a run; it was accepted already");
  if (run.info.finished_at.empty())
    throw Error(run.path +
                ": found an unfinished run, expected a finished one; finish it with "
                "`plumbline run --resume` first");
  if (!run.warnings.empty())
    throw Error(run.warnings.front() + "; a changed run cannot become a baseline: measure again");
  for (const CaseRows& found : cases)
    if (const std::size_t bytes = file_name_of(found.suite).size(); bytes > kLongestSuiteName)
      throw Error(
          fmt::format("{}/results.csv: found a suite whose name takes {} bytes as a file's, "
                      "{}, expected at most {}: its baseline is a file of that name; give "
                      "it a shorter one",
                      run.path, bytes, shown(found.suite), kLongestSuiteName));
  if (std::ranges::none_of(cases, &CaseRows::measured))
    throw Error(run.path +
                ": found no case with samples, expected at least one; a run without "
                "results cannot be a baseline");
}

}  // namespace

void require_fit(const Run& run) { require_fit(run, rows_by_case(run)); }

std::vector<AcceptedSuite> accept(const Run& run, const std::string& baselines_directory,
                                  const Acceptance& acceptance, const AcceptOptions& options) {
  const std::vector<CaseRows> cases = rows_by_case(run);
  require_fit(run, cases);
  Acceptance sealed = acceptance;
  sealed.source_hash = hash_of_file(run.path + "/results.csv").text();
  std::set<std::string> suites;
  for (const CaseRows& found : cases) suites.emplace(found.suite);
  std::vector<Draft> drafts;
  for (const std::string& suite : suites)
    drafts.push_back(draft_of(run, cases, suite, baselines_directory, sealed, options));
  std::vector<AcceptedSuite> accepted;
  for (Draft& draft : drafts) {
    if (options.writes) write(draft);
    accepted.push_back(std::move(draft.report));
  }
  return accepted;
}

std::string baseline_folder(const std::string& baselines_directory,
                            const Environment& environment) {
  std::optional<std::string> free;
  std::string unreadable;  // only an error if no folder is known to be of this class
  const std::vector<std::string> names = device_folders(environment);
  for (const std::string& name : names) try {
      const Holding found =
          holding_of(fs::path(baselines_directory) / name, environment.device_class);
      if (found == Holding::this_class) return name;
      if (found == Holding::nothing && !free) free = name;
    } catch (const Error& error) {
      if (unreadable.empty()) unreadable = error.what();
    }
  if (!unreadable.empty())
    throw Error(unreadable +
                "; the device class of that folder's baselines is unknown: restore the file, or "
                "move it away");
  return free.value_or(names.back());
}

std::optional<std::string> find_baseline(const std::string& baselines_directory,
                                         const Environment& environment, const std::string& suite) {
  std::string path = csv_path(baselines_directory, environment, suite);
  const auto is_there = [](const std::string& file) {
    std::error_code problem;
    const bool found = fs::exists(file, problem);
    if (problem && problem != std::errc::filename_too_long)
      throw Error(file + ": cannot be reached: " + problem.message());
    return found;
  };
  if (is_there(path) || is_there(json_path(path))) return path;
  return std::nullopt;
}

}  // namespace plumbline
