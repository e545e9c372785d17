#include "stats/multiplicity.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/error.h"

namespace plumbline {

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  for (std::size_t i = 0; i < p_values.size(); ++i)
    if (!(p_values[i] >= 0 && p_values[i] <= 1))
      throw Error("Benjamini-Hochberg: value " + std::to_string(i + 1) + " is " +
                  std::to_string(p_values[i]) + ", a p value lies in [0, 1]");
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  const auto count = static_cast<double>(order.size());
  double smallest = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t i = order[rank - 1];
    smallest = std::min(smallest, p_values[i] * count / static_cast<double>(rank));
    adjusted[i] = smallest;
  }
  return adjusted;
}

}  // namespace plumbline
