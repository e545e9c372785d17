/// The build of a commit: a worktree of it in the cache, its own scripts/build, its worker.
///
/// Kept for the next time: a commit never changes. Two commands that want the same one build it
/// once.
#pragma once

#include <string>

namespace plumbline {

struct RefBuild {
  std::string tree;  // the worktree, with its worker built
  int signal = 0;    // that stopped it; the tree is then not whole
};

/// `ref`: anything that git resolves to a commit in the tree that holds `folder`. Takes up to 20
/// minutes the first time. Throws Error where there is no such tree or commit, the commit cannot
/// build itself, or its build fails (with the log's path).
RefBuild build_of_ref(const std::string& ref, const std::string& folder);

}  // namespace plumbline
