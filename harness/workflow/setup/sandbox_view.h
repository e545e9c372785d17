/// What programs in a sandbox (--sandbox) see of this machine's files.
///
/// Decides about folders; schedule/process/sandbox.h starts programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/process/sandbox.h"
#include "suite/yaml/file_limits.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

/// Throws Error if the request asks for a sandbox, and this machine cannot make one or the request
/// asks for something that does not work in it. To be called before anything is run. A note says
/// what a sandbox of root lacks.
void check_sandbox(const RunRequest& request, Talk& talk);

/// For a worker with these extensions and variables: it sees the installation, the folders of
/// libraries that the environment names, and --sandbox-read. Nothing if the flags ask for none.
/// Throws Error for a folder that holds the home.
std::optional<Sandbox> worker_sandbox(const WorkerRequest& flags, const std::string& worker,
                                      const std::vector<std::string>& extensions,
                                      const EnvironmentVariables& variables);

/// A .git in a tree. A build may put another one in its place, by renaming a folder above it.
struct Repository {
  std::string path;
  std::uint64_t device = 0, inode = 0;
  bool operator==(const Repository&) const = default;
};

struct BuildSandbox {
  Sandbox view;
  std::vector<Repository> repositories;  // in the tree, before the build
};

/// For `build:` in this tree, which it may change, except for the paths `kept`, which need not
/// exist. Nothing if the flags ask for no sandbox. Throws Error if plumbline would run programs or
/// load libraries from the tree outside of the sandbox, or a folder of it cannot be read.
/// `pythons`: those of the sides, which plumbline asks outside whether they have torch.
std::optional<BuildSandbox> build_sandbox(const WorkerRequest& flags, const std::string& root,
                                          const std::vector<std::string>& kept,
                                          const std::vector<std::string>& pythons = {});

/// Throws Error if a build made a .git in the tree: git, which plumbline runs outside of the
/// sandbox, would do what that says. Such a .git gets another name.
void refuse_new_repositories(const BuildSandbox& build);

/// Shows the git tree of each file, without its .git, or the folder of a file in no tree. Throws
/// Error for a folder that holds the home, and for a file that a link leads out of its tree to,
/// unless --sandbox-read shows it.
void show_trees_of(const std::vector<std::string>& files, Sandbox& sandbox);

/// The files that a sandbox shows.
std::shared_ptr<const FileLimits> limits_of(const Sandbox& sandbox);
/// The same where no worker is known yet: the trees of these suites, and --sandbox-read. Null
/// without a sandbox.
std::shared_ptr<const FileLimits> limits_of_suites(const std::vector<std::string>& files,
                                                   const WorkerRequest& flags);

/// Throws Error if a link leads from the git tree, or the folder, that holds `path` to another
/// place. `what` names the path in the message, `instead` what to do.
void require_within_tree(const std::string& path, const std::string& what,
                         const std::string& instead);

/// The same sandbox with a program and its libraries: bin/python3 needs lib/ beside bin/.
Sandbox with_program(Sandbox sandbox, const std::string& program);

}  // namespace plumbline
