/// Which streams to delay together, so that a race between any two of them shows.
#pragma once

#include <vector>

namespace plumbline {

/// Patterns of delayed streams: for any two streams there is one that delays the first and not the
/// second, and one the other way round; every stream is delayed in some pattern. Bits of the
/// streams' numbers: 2 × log2(streams) patterns instead of one per stream, and streams that are
/// handed out in turn differ in their lowest bit. One stream: itself.
std::vector<std::vector<bool>> delay_patterns(int streams);

}  // namespace plumbline
