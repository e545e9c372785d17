#include "core/cache_key.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace plumbline {

CacheBits cache_bits(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.high64, hash.low64};
}

std::string cache_key(std::string_view text) {
  std::string digits;
  for (const std::uint64_t bits : cache_bits(text))
    for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[bits >> shift & 15];
  return digits;
}

}  // namespace plumbline
