#include "stats/ranks.h"

#include <algorithm>
#include <numeric>

namespace plumbline {

double Ranks::tie_sum() const {
  double sum = 0;
  for (const std::size_t group : groups) {
    const auto t = static_cast<double>(group);
    sum += t * (t * t - 1);
  }
  return sum;
}

Ranks midranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  Ranks ranks;
  ranks.doubled.resize(values.size());
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    // Ranks first + 1 … end: twice their mean is the sum of the first and the last.
    for (std::size_t i = first; i < end; ++i) ranks.doubled[order[i]] = first + 1 + end;
    ranks.groups.push_back(end - first);
  }
  return ranks;
}

}  // namespace plumbline
