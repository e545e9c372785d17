#include "core/natural_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace plumbline {
namespace {

TEST(NaturalOrder, IsByValueOfNumbersAndByCharactersElsewhere) {
  const std::vector<std::string> ordered{
      "",          "add/n=1",       "add/n=2",        "add/n=2/x=1",
      "add/n=016", "add/n=16",      "add/n=100",      "add/n=100000",
      "addmm/n=1", "gemm/k=64/m=1", "gemm/k=64/m=16", "gemm/k=640/m=1"};
  std::vector<std::string> mixed = ordered;
  do {
    std::vector<std::string> sorted = mixed;
    std::ranges::sort(sorted, in_natural_order);
    ASSERT_EQ(sorted, ordered);
    std::ranges::rotate(mixed, mixed.begin() + 1);
  } while (mixed != ordered);
  for (std::size_t i = 0; i < ordered.size(); ++i)
    for (std::size_t k = 0; k < ordered.size(); ++k)
      EXPECT_EQ(in_natural_order(ordered[i], ordered[k]), i < k) << ordered[i] << ' ' << ordered[k];
}

}  // namespace
}  // namespace plumbline
