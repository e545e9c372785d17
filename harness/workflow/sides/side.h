/// A side of a comparison: everything on one end that a commit can change.
///
/// A side is a folder: a working folder, or a git revision that is checked out in the cache. Its
/// suites, sources, include files, plug-ins and extensions are read from that folder; it may have
/// its own worker, environment of Python and libraries. Finds, checks out and builds; measures
/// nothing.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "workflow/setup/request.h"
#include "workflow/setup/worker_program.h"
#include "workflow/sides/side_place.h"

namespace plumbline {

struct Side {
  std::string name;                 // as given by the user
  std::string folder;               // absolute; suites and extensions are relative to it
  std::string root;                 // of its git tree, else the folder
  std::string commit;               // of that tree; "" if there is none
  std::string dirty;                // "yes", "no", ""
  std::vector<std::string> suites;  // files; empty if this side has none of the named suites
  WorkerProgram worker{"", {}};
  bool has_own_worker = false;  // it is in this side's tree, or was named for this side
  Checkout checkout;            // of a revision; cannot be removed while this object lives
};

/// Options of a single side.
struct SideOptions {
  std::string worker;
  std::vector<std::string> variables;  // NAME=VALUE, for its worker
  std::vector<std::string> libraries;  // folders of libraries that its worker loads instead
};

/// Options of both sides, a and b.
struct SidesOptions {
  std::array<SideOptions, 2> sides;
  std::string build;  // the command that builds each side; "": `build:` of its plumbline.yaml
  bool skips_build = false;
};

/// Parses NAME=VALUE. Throws Error that names the flag.
EnvironmentVariables variables_of(const std::string& flag, const std::vector<std::string>& texts);

struct SidesRequest {
  std::array<SideName, 2> names;
  std::vector<std::string> suites;  // as typed; empty: those of plumbline.yaml
  WorkerRequest worker;             // for sides without their own
  SidesOptions flags;
};

struct Sides {
  std::array<Side, 2> sides;
  std::vector<std::string> notes;
  int signal = 0;  // the signal that stopped a build; the sides are incomplete then
};

/// The current folder is where the command was called; if the suites are in another git tree, it is
/// the folder of the first suite. A revision means the current folder as it was in that revision. A
/// suite is read at the same place of each side: where it was typed if a side contains that path,
/// else by its name in both folders. If neither side has it, both read the typed file. If none is
/// typed, each side's plumbline.yaml names its own. If plumbline.yaml has `build:`, it runs in each
/// side: once for a revision, every time for a folder unless skips_build. Throws Error for names
/// that mean nothing or two things, for suites that no side has, and for failed builds, with their
/// last lines of output.
Sides find_sides(const SidesRequest& request, Talk& talk);

/// Runs `command` in the project that `folder` belongs to; "": its `build:`, if it has one. The
/// flags say whether in a sandbox. Returns the signal that stopped it, or 0. Throws as
/// find_sides().
int build_project_of(const std::string& folder, const std::string& command,
                     const WorkerRequest& flags, Talk& talk);

}  // namespace plumbline
