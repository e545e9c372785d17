/// The k-th smallest of a list that is too long to store, such as the means of all pairs.
///
/// Pure numbers; knows no statistic.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

namespace plumbline {

/// The index of a double among all doubles, in ascending order; both zeros have index 0.
inline std::int64_t place_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
inline double value_at(std::int64_t place) {
  return std::bit_cast<double>(place >= 0 ? place
                                          : std::numeric_limits<std::int64_t>::min() - place);
}

/// k from 1. `count_at_most(x)`: how many values of the list are at most x; `low` and `high` bound
/// the list. Bisects the doubles between them: exact, with at most 64 calls.
template <class Count>
double kth_smallest(std::size_t k, double low, double high, const Count& count_at_most) {
  std::int64_t first = place_of(low), last = place_of(high);
  while (first < last) {
    const std::int64_t middle = std::midpoint(first, last);
    if (count_at_most(value_at(middle)) >= k)
      last = middle;
    else
      first = middle + 1;
  }
  return value_at(first);
}

/// The middle one of `total` values, or the mean of the middle two.
template <class Kth>
double median_by(std::size_t total, const Kth& kth) {
  if (total % 2 == 1) return kth((total + 1) / 2);
  return std::midpoint(kth(total / 2), kth(total / 2 + 1));
}

}  // namespace plumbline
