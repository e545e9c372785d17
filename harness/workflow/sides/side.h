/// A side of a comparison: everything of one end that a commit can change.
///
/// A side is a folder: a working folder, or a revision of git that is checked out in the cache. Its
/// suites, their sources and what these include, plug-ins and extensions are read in that folder;
/// its worker is its own where it has one. Finds, checks out and builds; measures nothing.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "workflow/setup/request.h"
#include "workflow/setup/worker_program.h"
#include "workflow/sides/side_place.h"

namespace plumbline {

struct Side {
  std::string name;                 // as it was named
  std::string folder;               // whole; suites and extensions are named from here
  std::string root;                 // of the git tree that holds it, else the folder
  std::string commit;               // of that tree; "" where there is none
  std::string dirty;                // "yes", "no", ""
  std::vector<std::string> suites;  // files; none where this side has none of those that were named
  WorkerProgram worker{"", {}};
  bool has_own_worker = false;  // it is of this side's tree, or was named for this side
  Checkout checkout;            // of a revision; kept from removal while this lives
};

/// What is said of one side alone.
struct SideOptions {
  std::string worker;
  std::vector<std::string> variables;  // NAME=VALUE, for its worker
};

/// Of both sides, a and b.
struct SidesOptions {
  std::array<SideOptions, 2> sides;
  bool skips_build = false;
};

/// NAME=VALUE. Throws Error naming the flag.
EnvironmentVariables variables_of(const std::string& flag, const std::vector<std::string>& texts);

struct SidesRequest {
  std::array<SideName, 2> names;
  std::vector<std::string> suites;  // as they were typed; none: those of plumbline.yaml
  WorkerRequest worker;             // for sides without one of their own
  SidesOptions flags;
};

struct Sides {
  std::array<Side, 2> sides;
  std::vector<std::string> notes;
  int signal = 0;  // that stopped a build; the sides are then not whole
};

/// The present folder is the one that the command was called in; where the suites lie in another
/// git tree, it is the folder of the first suite. A revision stands for the present folder as it
/// was in that revision. A suite is read at the same place of each side: where it was typed, if
/// that is in one of the sides, else by its name in their folders; one that is in neither is read
/// by both. Where none is typed, each side's plumbline.yaml names its own. Where plumbline.yaml
/// says `build:`, that runs in each side: in a revision once, in a folder every time unless
/// skips_build. Throws Error for names that mean nothing or two things, for suites that no side
/// has, and for builds that fail, with the last lines that they printed.
Sides find_sides(const SidesRequest& request, Talk& talk);

/// Runs the `build:` of the project that `folder` belongs to, if it has one. Gives the signal that
/// stopped it, or 0. Throws as find_sides.
int build_project_of(const std::string& folder, Talk& talk);

}  // namespace plumbline
