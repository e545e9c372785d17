/// Keys of cached things, made from their inputs. Only the keys are compared, so two different
/// inputs must never share one.
///
/// Seeds, revisions, placements and hashes in results use stable_hash (core/run/case.h) instead:
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

/// The same as 32 hexadecimal digits, for file names.
std::string cache_key(std::string_view text);

}  // namespace plumbline
