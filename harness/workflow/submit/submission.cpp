#include "workflow/submit/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/moment.h"
#include "core/words.h"
#include "schedule/plan.h"
#include "store/run/locate.h"
#include "workflow/setup/git.h"
#include "workflow/setup/project.h"
#include "workflow/setup/suites.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::size_t kMostOfName = 40;  // characters of a job's name

std::string whole(const std::string& path) {
  return path.empty() ? "" : fs::absolute(path).lexically_normal().string();
}

void add(Words& words, const std::string& flag, const Words& values) {
  for (const std::string& value : values) words.insert(words.end(), {flag, value});
}

/// Paths as commands find them from the project's folder: relative where they lie in it, so that
/// `ab` finds them in another revision too. Names of stock suites stay.
Words suites_from(const std::string& work, const Words& named) {
  Words suites;
  for (const std::string& suite : named) {
    if (!fs::exists(suite)) {
      suites.push_back(suite);
      continue;
    }
    const fs::path path = fs::weakly_canonical(suite), inside = path.lexically_relative(work);
    const bool is_inside = !inside.empty() && *inside.begin() != "..";
    suites.push_back(is_inside ? inside.string() : path.string());
  }
  return suites;
}

/// The flags that decide which cases are measured, and how. `of_pairs`: as `ab` takes them, whose
/// pairs are its rounds and whose cases and device are named one by one.
Words measuring_flags(const RunRequest& run, bool of_pairs) {
  Words words;
  add(words, "--set", run.suite.set);
  if (!of_pairs) {
    add(words, "--filter", run.suite.selection.filters);
    add(words, "--tag", run.suite.selection.tags);
    add(words, "--case", run.suite.selection.cases);
    if (!run.worker.device.empty()) words.insert(words.end(), {"--device", run.worker.device});
    if (!run.balance.empty()) words.insert(words.end(), {"--balance", whole(run.balance)});
    if (!run.lock_clocks.empty()) words.insert(words.end(), {"--lock-clocks", run.lock_clocks});
  }
  for (const auto& [field, value] : run.suite.policy) {
    if (of_pairs && field == "rounds") continue;
    std::string flag = "--" + field;
    std::ranges::replace(flag, '_', '-');
    words.insert(words.end(), {flag, value});
  }
  if (!run.worker.worker.empty()) words.insert(words.end(), {"--worker", whole(run.worker.worker)});
  for (const std::string& extension : run.worker.extensions)
    words.insert(words.end(), {"--extension", whole(extension)});
  return words;
}

/// As many as asked for, or as there are cases: each shard needs one.
std::int64_t shards_for(const SubmitRequest& request, const std::vector<Case>& cases, Talk& talk) {
  const std::int64_t asked =
      request.shards > 0 ? request.shards : std::max<std::int64_t>(request.at_once, 1);
  const std::int64_t most = std::max<std::int64_t>(std::ranges::count_if(cases, is_runnable), 1);
  if (asked > most)
    talk.note(fmt::format("{} shards for {}: one for each case", most,
                          counted(std::size_t(most), "case")));
  return std::min(asked, most);
}

std::string name_of(const LoadedSuites& loaded) {
  std::string name;
  for (const Suite& suite : loaded.suites) name += (name.empty() ? "" : "-") + suite.name;
  return file_name_of(name.substr(0, kMostOfName));
}

void require_numbers(const SubmitRequest& request) {
  for (const auto& [flag, number] :
       {std::pair{"--array", request.shards}, {"--nodes", request.at_once}})
    if (number < 0) throw Error(fmt::format("{} {}: expected a number from 1", flag, number));
  if (request.tries < 1)
    throw Error(fmt::format("--tries {}: expected a number from 1", request.tries));
}

/// Reports what a job would find only on a node.
void require_inputs(const SubmitRequest& request, const std::string& work) {
  const std::string &balance = request.run.balance, &side = request.baseline_side;
  if (!balance.empty() && !fs::exists(balance + "/run.json"))
    throw Error("--balance " + balance + ": found no run there");
  if (!side.empty() && !fs::is_directory(side) &&
      git_text(work, {"rev-parse", "--verify", "--quiet", side + "^{commit}"}).empty())
    throw Error("'" + side + "', the baseline's side, is neither a folder nor a revision of " +
                work);
}

/// A revision as it is; a folder with its whole path.
std::string side_from(const std::string& side) {
  return fs::is_directory(side) ? whole(side) : side;
}

}  // namespace

Submission plan_submission(const SubmitRequest& request, Talk& talk) {
  require_numbers(request);
  const auto files = suite_files(request.run.suite.suites);
  LoadedSuites loaded = read_suites(files, request.run.suite, nullptr);
  talk.notes(loaded.notes);
  const std::vector<Case> cases = selected_cases(loaded, request.run.suite.selection);
  const Project project = find_project(files.front(), request.run.places);
  require_inputs(request, project.base);
  Submission made;
  made.work = project.base;
  made.suites = suites_from(made.work, request.run.suite.suites);
  made.run_flags = measuring_flags(request.run, false);
  made.pair_flags = measuring_flags(request.run, true);
  made.baselines = whole(project.places.baselines);
  made.runs = whole(project.places.runs);
  made.compare_flags = {"--runs", made.runs};
  if (request.run.places.history)
    made.compare_flags.push_back(*request.run.places.history ? "--history" : "--no-history");
  made.site = whole(request.site);
  made.baseline_side = side_from(request.baseline_side);
  made.name = name_of(loaded);
  made.shards = shards_for(request, cases, talk);
  made.at_once = request.at_once;
  made.tries = request.tries;
  made.may_share = request.may_share;
  made.slurm = request.slurm;
  std::string time = now_utc();
  std::erase(time, ':');
  const std::string commit = tree_of(made.work).commit;
  const std::string own =
      fmt::format("{}-{}", time, commit.empty() ? "nocommit" : commit.substr(0, 10));
  made.folder =
      request.run.output.empty() ? made.runs + "/slurm/" + own : whole(request.run.output);
  made.run = made.runs + "/" + fs::path(made.folder).filename().string() + "-slurm";
  return made;
}

}  // namespace plumbline
