/// Whether values fall into two groups: the widest gap between neighbours, compared with the spread
/// within the groups.
///
/// Pure numbers, no cases.
#pragma once

#include <cstddef>
#include <span>

namespace plumbline {

struct Gap {
  std::size_t below = 0;  // values below it; 0: there is none
  double low = 0, high = 0;
  double ratio = 0;  // its width / the standard deviation within the groups
};

/// The gap with the largest ratio among those with at least `least` values on each side. `sorted`
/// rises. The spread within a group is its median absolute deviation, scaled; both are pooled by
/// their sizes. Infinite if no group has any.
Gap widest_gap(std::span<const double> sorted, std::size_t least);

/// The ratio that widest_gap() exceeds with probability `level` for `count` values of one group,
/// drawn from Student's t with 4 degrees of freedom: heavier tails than the normal distribution's.
/// Simulated with a fixed seed; 64 values stand for more, whose gaps are narrower. `level` in
/// [1e-4, 1).
double gap_threshold(std::size_t count, std::size_t least, double level);

}  // namespace plumbline
