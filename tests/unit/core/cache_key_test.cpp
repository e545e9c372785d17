#include "core/cache_key.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(CacheKey, IsXxh3Of128Bits) {
  // As printed by xxhsum -H2.
  EXPECT_EQ(cache_key(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(cache_key("a"), "a96faf705af16834e6c632b61e964e1f");
  EXPECT_EQ(cache_bits("a"), (CacheBits{0xa96faf705af16834, 0xe6c632b61e964e1f}));
}

}  // namespace
}  // namespace plumbline
