/// A revision of a git repository as a folder: a worktree in the cache, its submodules with it.
///
/// Kept for the next time, as a commit never changes; those that were not used for two weeks are
/// removed. Two commands that want the same one make it once. Runs git; builds nothing.
#pragma once

#include <string>

#include "schedule/process/child_process.h"
#include "workflow/talk.h"

namespace plumbline {

struct Checkout {
  std::string path;       // the worktree; "" = none
  std::string done, log;  // of its build: its record (build_record.h) once it succeeded; its output
  bool is_new = false;
  Descriptor lock;  // while it is open nobody removes or makes the worktree
};

/// The whole hash of what `revision` means in the repository at `root`, or "" where it means
/// nothing there.
std::string commit_of(const std::string& root, const std::string& revision);

/// The worktree of that commit of the repository at `root`. Others wait until this one is made;
/// share() lets them use it. Throws Error with git's words.
Checkout check_out(const std::string& root, const std::string& commit, Talk& talk);

/// Makes the worktree again, without what was built in it. False where another command uses it.
bool make_anew(const std::string& root, const std::string& commit, Checkout& checkout);

/// The checkout is whole: others may use it, too, and still nobody removes it.
void share(Checkout& checkout);

}  // namespace plumbline
