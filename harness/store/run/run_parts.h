/// Reads the results of a run in parts, because the rows of a long run do not fit into memory.
///
/// What is said of a case needs all its rows, and nothing of other cases: summarize() of the parts
/// is summarize() of the run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/run/run.h"

namespace plumbline {

/// Gets a run with all rows of some cases; they are gone after the call.
using OnPart = std::function<void(const Run&)>;

/// Of results.csv, so many bytes are held as rows at a time; they take about three times as much.
inline constexpr std::uint64_t kMostBytesHeld = 64 << 20;

/// Calls `on_part` until it has got all rows of `path`, the results.csv of a run. The order of the
/// cases, over all parts, is that in which they first appear. Reads the file once more for each
/// `most_bytes` of it. `info`: of each part. Throws Error as scan_results() does for a row that
/// cannot be read.
void for_each_part(const std::string& path, const RunInfo& info, const OnPart& on_part,
                   std::uint64_t most_bytes = kMostBytesHeld);

}  // namespace plumbline
