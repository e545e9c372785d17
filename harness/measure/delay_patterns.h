/// Chooses which streams to delay together, so that a race between any two of them shows.
#pragma once

#include <vector>

namespace plumbline {

/// Patterns of delayed streams. For any two streams, one pattern delays only the first of them and
/// another only the second; each stream is delayed in some pattern. The patterns are the bits of
/// the streams' numbers: 2 × log2(streams) instead of one per stream. Neighbouring streams differ
/// in the lowest bit. A single stream has one pattern, which delays it.
std::vector<std::vector<bool>> delay_patterns(int streams);

}  // namespace plumbline
