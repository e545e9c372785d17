/// Runs in a folder of runs that nothing needs any more, and what killed merges left there.
///
/// A run stays where a baseline holds it, a comparison that stays names it, a link leads to it,
/// somebody measures it, or a file lies in it that Plumbline did not write. Reads; removes nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "workflow/cleaning/leftovers.h"

namespace plumbline {

struct OldRunsAsked {
  std::string runs, baselines;  // folders
  std::string project;          // folder in which comparisons may lie, too
  double older_than_s = 0;
  /// How many finished runs of each device class stay, the newest; nothing: all of them.
  std::optional<std::size_t> keep;
};

/// Throws Error for baselines that cannot be read: what they hold is then not known.
Leftovers old_runs(const OldRunsAsked& asked);

}  // namespace plumbline
