/// Bounds of a proportion that was counted: k of n.
///
/// Clopper & Pearson 1934 (Boost.Math): exact, hence never narrower than stated, however few there
/// are. Pure numbers, no cases.
#pragma once

#include <cstddef>

namespace plumbline {

/// The true proportion lies above `low` and below `high`, each with the stated confidence.
struct ProportionBounds {
  double low = 0, high = 1;
};

/// One-sided bounds: `confidence` in (0, 1) holds for each of them, not for both together. Of
/// nothing nothing is known: [0, 1]. Throws Error where seen > count.
ProportionBounds proportion_bounds(std::size_t seen, std::size_t count, double confidence);

}  // namespace plumbline
