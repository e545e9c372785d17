#include "stats/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace plumbline {
namespace {

TEST(Selection, places_of_doubles_are_in_their_order_and_lead_back) {
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  const std::vector<double> rising{-INFINITY, -largest, -1, -smallest, 0, smallest, 1, largest};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    EXPECT_EQ(value_at(place_of(rising[i])), rising[i]);
    if (i > 0) {
      EXPECT_LT(place_of(rising[i - 1]), place_of(rising[i]));
    }
  }
  EXPECT_EQ(place_of(-0.0), place_of(0.0));
}

TEST(Selection, kth_smallest_is_what_sorting_gives_ties_and_signs_among_them) {
  const std::vector<double> values{3, -1e-300, 0, 3, -7.5, 1e300, -7.5, 0.1, -0.1};
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  const auto at_most = [&](double x) {
    return static_cast<std::size_t>(
        std::ranges::count_if(values, [x](double v) { return v <= x; }));
  };
  const auto kth = [&](std::size_t k) {
    return kth_smallest(k, sorted.front(), sorted.back(), at_most);
  };
  for (std::size_t k = 1; k <= values.size(); ++k) EXPECT_EQ(kth(k), sorted[k - 1]);
  EXPECT_EQ(median_by(9, kth), 0);
  EXPECT_EQ(median_by(8, kth), std::midpoint(sorted[3], sorted[4]));
}

}  // namespace
}  // namespace plumbline
