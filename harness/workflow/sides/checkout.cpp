#include "workflow/sides/checkout.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <vector>

#include "core/error.h"
#include "workflow/setup/cache_folder.h"
#include "workflow/setup/git.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::string trees_folder() { return made_cache_folder("trees"); }

/// Sets the time of the lock file, which records the last use of its tree.
void touch(const Descriptor& lock) { futimens(lock.get(), nullptr); }

/// True if git works there, on that commit. It does not if the clone that made the worktree is
/// gone. An unbuilt tree must match the commit, else its checkout was interrupted.
bool is_whole(const Checkout& checkout, const std::string& commit) {
  const Tree found = tree_in_git(checkout.path);
  return !found.root.empty() && fs::equivalent(found.root, checkout.path) &&
         found.commit == commit && (fs::exists(checkout.done) || found.dirty == "no");
}

void remove_tree(const std::string& tree) {
  fs::remove_all(tree);
  for (const char* end : {".done", ".log"}) fs::remove(tree + end);
}

/// Takes submodules from the clone if it has them; fetches the others.
void add_submodules(const std::string& root, const std::string& tree, const std::string& commit) {
  if (!fs::exists(tree + "/.gitmodules")) return;
  const std::string failure = "cannot check out the submodules of " + commit;
  const std::string modules =
      git_output(root, {"rev-parse", "--path-format=absolute", "--git-common-dir"}, failure) +
      "/modules/";
  std::vector<std::string> local{"-c", "protocol.file.allow=always"};
  const std::string names = git_text(
      tree, {"config", "--file", ".gitmodules", "--name-only", "--get-regexp", "\\.path$"});
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find('\n', begin), names.size());
    const std::string key = names.substr(begin, end - begin);  // submodule.NAME.path
    const std::string name = key.substr(10, key.size() - 15);
    if (fs::exists(modules + name))
      local.insert(local.end(), {"-c", "submodule." + name + ".url=" + modules + name});
    begin = end + 1;
  }
  std::vector<std::string> update{"submodule", "update", "--init", "--recursive", "--force"};
  std::vector<std::string> words = local;
  words.insert(words.end(), update.begin(), update.end());
  if (run_git(tree, words).empty()) return;
  git_output(tree, update, failure);
}

void make_tree(const std::string& root, const std::string& commit, const std::string& tree) {
  remove_tree(tree);
  git_output(root, {"worktree", "prune"}, "cannot tidy up the worktrees of " + root);
  git_output(root, {"worktree", "add", "--force", "--force", "--detach", tree, commit},
             "cannot make a worktree of " + commit + " in " + tree);
  add_submodules(root, tree, commit);
}

}  // namespace

void wait_for_lock(const Descriptor& lock, int operation) {
  while (flock(lock.get(), operation) != 0 && errno == EINTR) {
  }
}

std::string commit_of(const std::string& root, const std::string& revision) {
  const std::string text = git_text(
      root, {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  return text.substr(0, text.find('\n'));
}

Checkout check_out(const std::string& root, const std::string& commit, Talk& talk) {
  const std::string folder = trees_folder();
  Checkout checkout;
  checkout.path = folder + "/" + commit;
  checkout.done = checkout.path + ".done";
  checkout.log = checkout.path + ".log";
  checkout.lock = open_to_append(checkout.path + ".lock");
  if (flock(checkout.lock.get(), LOCK_EX | LOCK_NB) != 0) {
    // Another command uses the tree, which is then complete, or is making it.
    if (flock(checkout.lock.get(), LOCK_SH | LOCK_NB) != 0) {
      talk.note("another command makes " + checkout.path + "; waiting for it");
      wait_for_lock(checkout.lock, LOCK_EX);
    } else if (fs::exists(checkout.done) && is_whole(checkout, commit)) {
      touch(checkout.lock);
      return checkout;
    } else {
      wait_for_lock(checkout.lock, LOCK_EX);
    }
  }
  touch(checkout.lock);
  if (!is_whole(checkout, commit)) {
    make_tree(root, commit, checkout.path);
    checkout.is_new = true;
  }
  return checkout;
}

bool make_anew(const std::string& root, const std::string& commit, Checkout& checkout) {
  if (flock(checkout.lock.get(), LOCK_EX | LOCK_NB) != 0) return false;
  make_tree(root, commit, checkout.path);
  return true;
}

void share(Checkout& checkout) {
  if (checkout.lock.get() >= 0) wait_for_lock(checkout.lock, LOCK_SH);
}

}  // namespace plumbline
