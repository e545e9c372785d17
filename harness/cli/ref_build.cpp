#include "cli/ref_build.h"

#include <fmt/format.h>
#include <sys/file.h>

#include <filesystem>
#include <vector>

#include "cli/console.h"
#include "cli/git.h"
#include "cli/worker_program.h"
#include "core/error.h"
#include "schedule/child_process.h"
#include "schedule/interrupt.h"
#include "store/file.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr double kGit_s = 600;  // a worktree of a large repository on a slow disk
constexpr double kWatch_s = 0.2;
constexpr const char* kWorker = "build/bin/plumbline-worker";

/// Where the build of a commit and what belongs to it lie.
struct Place {
  std::string tree, log, lock;
  std::string done;  // is there once the build is whole
};

Place place_of(const std::string& commit) {
  const std::string folder = cache_folder() + "/builds";
  fs::create_directories(folder);
  const std::string path = fs::absolute(folder).string() + "/" + commit;
  return {path, path + ".log", path + ".lock", path + ".done"};
}

/// Standard output of git, or an Error that begins with `failure` and ends with git's own words.
std::string git(const std::string& root, std::vector<std::string> words,
                const std::string& failure) {
  words.insert(words.begin(), {"git", "-C", root});
  const ProgramOutput output = run_program(words, kGit_s);
  if (output.timed_out || output.end.signal != 0 || output.end.exit_code != 0)
    throw Error(failure + (output.timed_out     ? ": git does not answer"
                           : output.err.empty() ? ""
                                                : ": " + output.err));
  return output.out.substr(0, output.out.find('\n'));
}

/// Held by one process for each commit; the kernel lets go of it when that ends.
Descriptor locked(const Place& place) {
  Descriptor file = open_to_append(place.lock);
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  print_note("another command builds " + place.tree + "; waiting for it");
  while (flock(file.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  return file;
}

/// What an interrupted build left behind goes; git forgets worktrees that are not there.
void make_worktree(const std::string& root, const std::string& commit, const Place& place) {
  fs::remove_all(place.tree);
  git(root, {"worktree", "prune"}, "cannot tidy up the worktrees of " + root);
  git(root, {"worktree", "add", "--detach", place.tree, commit},
      "cannot make a worktree of " + commit + " in " + place.tree);
}

/// Runs the tree's own scripts/build for its worker. Gives the signal that stopped it, or 0.
int build(const std::string& ref, const Place& place) {
  const std::string script = place.tree + "/scripts/build";
  if (!fs::is_regular_file(script))
    throw Error("--baseline-ref " + ref +
                ": the commit has no scripts/build to build its worker with; build it yourself and "
                "name the tree with --baseline-tree");
  fs::remove(place.log);
  const Descriptor log = open_to_append(place.log);
  say(fmt::format("building the worker of {} in {}, up to 20 minutes the first time; log: {}\n",
                  ref, place.tree, place.log));
  Interrupt interrupt;
  ChildProcess child({script, "plumbline-worker"}, {{log.get(), 1}, {log.get(), 2}},
                     {{"PLUMBLINE_BUILD", place.tree + "/build"}});
  while (!child.wait(deadline_in(kWatch_s)))
    if (interrupt.requested()) {
      child.kill();
      return interrupt.signal_number();
    }
  const ProcessEnd end = *child.poll_end();
  if (end.signal != 0 || end.exit_code != 0)
    throw Error(fmt::format("--baseline-ref {}: its scripts/build {}; the log is {}", ref,
                            end.words(), place.log));
  if (!fs::is_regular_file(place.tree + "/" + kWorker))
    throw Error(fmt::format("--baseline-ref {}: its scripts/build made no {}; the log is {}", ref,
                            kWorker, place.log));
  return 0;
}

}  // namespace

RefBuild build_of_ref(const std::string& ref, const std::string& folder) {
  const std::string root = tree_of(folder).root;
  if (root.empty())
    throw Error("--baseline-ref " + ref + ": '" + folder +
                "' lies in no git tree; name the baseline's build with --baseline-tree");
  const std::string commit =
      git(root, {"rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}"},
          "--baseline-ref " + ref + ": " + root + " has no such commit");
  const Place place = place_of(commit);
  const Descriptor lock = locked(place);
  if (fs::exists(place.done) && fs::exists(place.tree + "/" + kWorker)) return {place.tree};
  fs::remove(place.done);
  make_worktree(root, commit, place);
  if (const int signal = build(ref, place)) return {place.tree, signal};
  write_atomically(place.done, commit + "\n");
  return {place.tree};
}

}  // namespace plumbline
