/// Ranks of numbers; equal values share the mean of their ranks.
///
/// Pure numbers, no cases. Equal means equal as doubles.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plumbline {

struct Ranks {
  std::vector<std::size_t> doubled;  // twice the rank (from 1) of each value: an integer
  std::vector<std::size_t> groups;   // how many values share each rank, from the smallest value up
  bool has_ties() const { return groups.size() < doubled.size(); }
  /// Σ t³ − t over the groups: by this ties reduce the variances of rank sums.
  double tie_sum() const;
};

Ranks midranks(std::span<const double> values);

}  // namespace plumbline
