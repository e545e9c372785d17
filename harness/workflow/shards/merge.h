/// Makes one run of its shards: the command `merge`.
///
/// Checks everything before it writes, and names all that is wrong at once. The result does not
/// depend on the order of the arguments. Judges no times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workflow/talk.h"

namespace plumbline {

struct MergeRequest {
  std::vector<std::string> inputs;  // run directories, and folders that hold them
  std::string output;
  bool allows_missing = false;  // shards that are not there or not finished are left out
};

struct MergeOutcome {
  std::string directory;
  std::size_t shards = 0, cases = 0, devices = 0;
  std::int64_t count = 0;            // of shards that there should be
  std::vector<std::string> missing;  // "3/8"
  std::uint64_t bytes = 0;           // of results.csv
  bool was_there = false;            // the same shards had been merged into it before
};

/// Throws Error; there is then no run at `output`, or the one that was there.
MergeOutcome merge_shards(const MergeRequest& request, Talk& talk);

}  // namespace plumbline
