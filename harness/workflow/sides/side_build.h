/// The `build:` of plumbline.yaml, run in one side of a comparison.
///
/// Starts a shell; knows neither suites nor workers.
#pragma once

#include <string>

#include "workflow/sides/side_place.h"

namespace plumbline {

struct SideBuild {
  std::string who;      // the side, as it was named
  std::string command;  // for the shell
  std::string folder;   // that it runs in
  std::string log;      // what it prints goes there, in place of what was there
  bool is_own_folder =
      true;  // false: of a checkout, where $PLUMBLINE_BUILD of this folder is not meant
};

struct RevisionBuild {
  std::string folder, command;  // "" = nothing is built
};

/// Builds in the checkout of a revision, which others may use afterwards. A build that is kept
/// there is used again if the command, the environment and the compilers are those that made it,
/// and nobody edited the checkout; else the checkout is made anew. As run_build(); throws Error
/// also where another command uses the checkout as it was.
int build_revision(Place& place, const RevisionBuild& build, Talk& talk);

/// Gives the signal that stopped it, or 0. Throws Error with the last lines of the log where it
/// fails.
int run_build(const SideBuild& build, Talk& talk);

}  // namespace plumbline
