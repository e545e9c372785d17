#include "workflow/bisect/bisect.h"

#include <sys/file.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/moment.h"
#include "store/run/locate.h"
#include "workflow/bisect/releases.h"
#include "workflow/setup/git.h"
#include "workflow/setup/project.h"
#include "workflow/setup/sandbox_view.h"
#include "workflow/setup/suites.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// The merge that a search found, if it found exactly one commit and that is a merge.
const Version* found_merge(const BisectSearch& search) {
  const auto& commits = search.result.commits;
  if (search.result.kind != BisectKind::one_step || !commits || commits->first != commits->last)
    return nullptr;
  const Version& version = search.versions[commits->first];
  return version.is_merge ? &version : nullptr;
}

std::string folder_of(const BisectRequest& request, const Project& project) {
  const std::string& named = request.run.output;
  if (request.resume && named.empty())
    throw Error("--resume: name the folder of the search with -o");
  if (request.resume && !fs::exists(named + "/" + kBisectRecord))
    throw Error("--resume: found no " + std::string(kBisectRecord) + " in " + named);
  return named.empty() ? new_run_directory(project.places.runs, now_utc(), "", "bisect") : named;
}

/// Of the folder; while it is open, no other search works there. Throws Error if one does.
Descriptor locked(const std::string& folder) {
  Descriptor lock = open_to_append(folder + "/bisect.lock");
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    throw Error(folder + ": another search is at work in it");
  return lock;
}

/// Searches among the commits of the branch that a found merge brought. What goes wrong there is
/// said, and leaves the merge as the answer.
void search_in_merge(const BisectRequest& asked, const std::string& root, const std::string& folder,
                     BisectOutcome& outcome, Talk& talk) {
  const Version* const merge = found_merge(outcome.searches.back());
  if (!merge) return;
  std::vector<Version> versions = merged_commits(root, merge->side);
  if (versions.size() < 2) return;
  talk.note(merge->shown + " is a merge: the search goes on among the commits of its branch");
  BisectRequest request = asked;
  request.rule.error_rate /= 2;  // so that all searches together keep the rate
  const std::string inner = folder + "/merged";
  fs::create_directories(inner);
  try {
    outcome.searches.push_back(
        search_versions(request, std::move(versions), inner, outcome.metric, talk));
  } catch (const Error& error) {
    outcome.branch_failure = error.what();
    return;
  }
  search_in_merge(request, root, inner, outcome, talk);
}

std::vector<Version> versions_of(const BisectRequest& request, const std::string& root,
                                 Talk& talk) {
  if (!request.list.empty()) {
    std::vector<Version> listed = listed_versions(request.list);
    if (std::ranges::any_of(listed, is_requirement, &Version::side))
      read_written_suites(request.run);
    return listed;
  }
  if (is_requirement(request.good) || is_requirement(request.bad)) {
    read_written_suites(request.run);
    return releases_between(request.environments, request.good, request.bad, talk);
  }
  if (root.empty())
    throw Error(
        "the present folder lies in no git tree; name releases, such as torch==2.11.0, or versions "
        "in a file with --list");
  return commits_between(root, request.good, request.bad);
}

}  // namespace

bool has_found(const BisectResult& result) {
  return result.kind != BisectKind::none && result.kind != BisectKind::cannot_tell;
}

const BisectSearch& BisectOutcome::answer() const {
  for (auto search = searches.rbegin(); search != searches.rend(); ++search)
    if (has_found(search->result)) return *search;
  return searches.front();
}

BisectOutcome bisect(BisectRequest request, Talk& talk) {
  check_sandbox(request.run, talk);
  const auto& suites = request.run.suite.suites;
  const bool is_file = !suites.empty() && fs::exists(suites.front());
  const Project project = find_project(is_file ? suites.front() : ".", request.run);
  request.run.worker.device = wanted_device(request.run.worker, project);
  request.run.suite.selection.cases = {request.case_id};
  if (!request.threshold) request.threshold = project.thresholds.threshold;
  const std::string root = tree_in_git(present_folder(suites)).root;
  std::vector<Version> versions = versions_of(request, root, talk);
  const bool has_merges = versions.front().is_commit;
  BisectOutcome outcome{0, folder_of(request, project), request.metric, {}, {}};
  fs::create_directories(outcome.folder);
  const Descriptor lock = locked(outcome.folder);
  request.rule.error_rate /= has_merges ? 2 : 1;  // the other half: searches in merges
  try {
    outcome.searches.push_back(
        search_versions(request, std::move(versions), outcome.folder, outcome.metric, talk));
    if (has_merges) search_in_merge(request, root, outcome.folder, outcome, talk);
  } catch (const Stopped& stopped) {
    outcome.signal = stopped.signal;
    talk.say("interrupted; go on with the same command and -o " + outcome.folder + " --resume");
  }
  return outcome;
}

}  // namespace plumbline
