/// Runs the `build:` of plumbline.yaml in one side of a comparison.
///
/// Starts a shell; does not know suites or workers.
#pragma once

#include <optional>
#include <string>

#include "core/error.h"
#include "workflow/setup/sandbox_view.h"
#include "workflow/sides/side_place.h"

namespace plumbline {

/// A build that ended with an error, as against one that could not be started.
class BuildFailed : public Error {
 public:
  using Error::Error;
};

/// The log of what is built in that folder. `plumbline gc` knows it by its place.
std::string build_log_of(const std::string& folder);

struct SideBuild {
  std::string who;            // name of the side, as given
  std::string command;        // for the shell
  std::string folder;         // working folder
  std::string log;            // receives its output and is overwritten
  bool is_own_folder = true;  // false: a checkout; $PLUMBLINE_BUILD of this folder does not apply
  std::optional<BuildSandbox> sandbox = {};  // in which it runs, if in one
};

struct RevisionBuild {
  std::string folder, command;  // "" = no build
  std::optional<BuildSandbox> sandbox = {};
};

/// Builds in the checkout of a revision, which others may use afterwards. An existing build is used
/// again if its command, environment and compilers are the same and nobody edited the checkout;
/// otherwise the checkout is made again. Returns and throws like run_build(); also throws Error if
/// another command uses the existing checkout.
int build_revision(Place& place, const RevisionBuild& build, Talk& talk);

/// Returns the signal that stopped it, or 0. Throws BuildFailed with the last lines of the log.
int run_build(const SideBuild& build, Talk& talk);

}  // namespace plumbline
