/// The record of a merged run, made from those of its shards, and what keeps them apart.
///
/// Pure: reads no files.
#pragma once

#include <string>
#include <vector>

#include "workflow/shards/found_shards.h"

namespace plumbline {

/// What the shards must have in common and do not, a sentence each: suites, flags, commit, worker,
/// libraries, device class. The sentence names the runs.
std::vector<std::string> differences(const std::vector<FoundRun>& shards);

/// The record of the whole. `shards`: finished, in the order of their numbers, at least one, and
/// without differences().
RunInfo merged_info(const std::vector<FoundRun>& shards);

}  // namespace plumbline
