/// Keys of what is kept by what it was made from: the key is all that is compared, so that two
/// inputs must never have one.
///
/// Seeds, revisions, placements and hashes in results are stable_hash (core/run/case.h), because
/// runs and baselines of earlier commits are compared by them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline {

/// XXH3 of 128 bits.
using CacheBits = std::array<std::uint64_t, 2>;
CacheBits cache_bits(std::string_view text);

/// The same as 32 hexadecimal digits, for names of files.
std::string cache_key(std::string_view text);

}  // namespace plumbline
