/// A tree: a directory with a build of its own, whose worker, kernels and libraries are measured.
///
/// Finds programs; starts none.
#pragma once

#include <string>
#include <vector>

#include "cli/worker_program.h"

namespace plumbline {

struct BuiltTree {
  std::string path;    // as it was named
  std::string commit;  // of its git tree, "" where it is in none
  std::string dirty;   // "yes", "no", ""
  WorkerProgram worker;
};

/// The tree at `path`: a checkout with `build/bin/plumbline-worker`, an installed folder with
/// `bin/plumbline-worker` or `plumbline-worker`, or the worker itself. Throws Error naming the
/// places that were looked at.
BuiltTree find_tree(const std::string& path, const std::vector<std::string>& extensions);

}  // namespace plumbline
