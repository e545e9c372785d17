/// The files of a side's code, as a run recorded them, for a bundle.
///
/// Reads files and git; runs and writes nothing.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/run/run.h"
#include "store/bundle/bundle_json.h"

namespace plumbline {

struct SideFiles {
  std::map<std::string, std::string> contents;  // by path in the side's folder
  std::vector<std::string> suites, extensions;  // of these
  std::vector<BundledSource> sources;           // the same files
  std::vector<AbsentSource> absent;
};

/// What the run `info` measured of these suites. A file is taken where it lay when its content is
/// the recorded one; else from the run's commit, in its own tree or in the repositories around
/// `folders`. Paths are relative to the git tree, or to the folder that holds the suites and what
/// they name. Files of the system and of other trees are absent, with the reason; and so are those
/// that have changed since.
SideFiles files_of_side(const RunInfo& info, const std::set<std::string>& suites,
                        const std::vector<std::string>& folders);

}  // namespace plumbline
