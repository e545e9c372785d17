/// Where a list lies, and by how much one lies above another: robust, and with the interval that
/// belongs to the rank test of the same question.
///
/// Hodges & Lehmann 1963; intervals by inverting Wilcoxon's and Mann and Whitney's distributions
/// without ties (Lehmann 1975), exact up to the sizes up to which the tests are. Pure numbers.
#pragma once

#include <span>

#include "stats/order_interval.h"

namespace plumbline {

/// The median of the means of two values, each value with itself included. Needs one value.
OrderInterval hodges_lehmann(std::span<const double> values, double confidence,
                             Method method = Method::automatic);

/// The median of all b − a. Needs one value a side.
OrderInterval hodges_lehmann_shift(std::span<const double> a, std::span<const double> b,
                                   double confidence, Method method = Method::automatic);

}  // namespace plumbline
