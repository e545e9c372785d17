#include "measure/delay_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace plumbline {
namespace {

/// Whether some pattern delays `late` and not `early`.
bool tells_apart(const std::vector<std::vector<bool>>& patterns, int late, int early) {
  return std::ranges::any_of(patterns, [&](const std::vector<bool>& delayed) {
    return delayed[std::size_t(late)] && !delayed[std::size_t(early)];
  });
}

TEST(DelayPatterns, AnyStreamIsDelayedAgainstAnyOther) {
  for (const int streams : {2, 3, 4, 7, 64, 128}) {
    const auto patterns = delay_patterns(streams);
    for (int late = 0; late < streams; ++late)
      for (int early = 0; early < streams; ++early)
        ASSERT_TRUE(late == early || tells_apart(patterns, late, early))
            << late << " against " << early << " of " << streams;
  }
}

TEST(DelayPatterns, AreFarFewerThanStreams) {
  EXPECT_EQ(delay_patterns(2).size(), 2u);
  EXPECT_EQ(delay_patterns(128).size(), 14u);
}

TEST(DelayPatterns, ASingleStreamIsDelayed) {
  EXPECT_EQ(delay_patterns(1), (std::vector<std::vector<bool>>{{true}}));
}

}  // namespace
}  // namespace plumbline
