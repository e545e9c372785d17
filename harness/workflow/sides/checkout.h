/// A revision of a git repository as a folder: a worktree in the cache, including submodules.
///
/// Kept for later use, because a commit never changes; `gc` removes it. Two commands that need the
/// same worktree make it once. Runs git; builds nothing.
#pragma once

#include <string>

#include "schedule/process/child_process.h"
#include "workflow/talk.h"

namespace plumbline {

struct Checkout {
  std::string path;       // the worktree; "" = none
  std::string done, log;  // of its build: the record (build_record.h) after success; the output
  bool is_new = false;
  Descriptor lock;  // while it is open, nobody removes or makes the worktree
};

/// Waits for flock()'s `operation`, also across signals.
void wait_for_lock(const Descriptor& lock, int operation);

/// The full hash of `revision` in the repository at `root`, or "" if it means nothing there.
std::string commit_of(const std::string& root, const std::string& revision);

/// The worktree of that commit of the repository at `root`. Other commands wait until it is made;
/// share() lets them use it. Throws Error with git's error text.
Checkout check_out(const std::string& root, const std::string& commit, Talk& talk);

/// Makes the worktree again, without its build. False if another command uses it.
bool make_anew(const std::string& root, const std::string& commit, Checkout& checkout);

/// Marks the checkout as complete: others may use it too, but still nobody removes it.
void share(Checkout& checkout);

}  // namespace plumbline
