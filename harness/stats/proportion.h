/// Confidence bounds of a counted proportion: k of n.
///
/// Clopper & Pearson 1934 (Boost.Math): exact, so the coverage is never below the stated one, even
/// for small n. Pure numbers, no cases.
#pragma once

#include <cstddef>

namespace plumbline {

/// The true proportion lies above `low` and below `high`, each with the stated confidence.
struct ProportionBounds {
  double low = 0, high = 1;
};

/// One-sided bounds: `confidence` in (0, 1) holds for each bound, not for both together. [0, 1] if
/// count is 0. Throws Error if seen > count.
ProportionBounds proportion_bounds(std::size_t seen, std::size_t count, double confidence);

}  // namespace plumbline
