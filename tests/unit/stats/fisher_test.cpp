#include "stats/fisher.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace plumbline {
namespace {

TEST(FisherExact, is_what_counting_all_tables_in_whole_numbers_gives) {
  EXPECT_NEAR(fisher_exact(3, 4, 1, 4), 0.48571428571428571, 1e-12);  // Fisher's tea
  EXPECT_NEAR(fisher_exact(10, 12, 5, 17), 0.007775059838501802, 1e-14);
  EXPECT_NEAR(fisher_exact(3, 3, 0, 3), 0.1, 1e-12);
  EXPECT_NEAR(fisher_exact(0, 90, 3, 3), 1 / 129766.0, 1e-15);
}

TEST(FisherExact, of_equal_shares_or_of_nothing_is_1) {
  EXPECT_EQ(fisher_exact(5, 10, 5, 10), 1);
  EXPECT_EQ(fisher_exact(0, 7, 0, 9), 1);
  EXPECT_EQ(fisher_exact(0, 0, 3, 9), 1);
  EXPECT_THROW(fisher_exact(2, 1, 0, 1), Error);
}

}  // namespace
}  // namespace plumbline
