/// The location of a list of values: a robust estimate, with the interval of the matching rank
/// test.
///
/// Hodges & Lehmann 1963; intervals by inverting Wilcoxon's signed-rank distribution without ties
/// (Lehmann 1975). Pure numbers.
#pragma once

#include <span>

#include "stats/order_interval.h"

namespace plumbline {

/// The median of the means of all pairs, each value paired with itself too. Needs one value.
/// `automatic`: the interval is exact up to 50 values. `exact` throws Error beyond about 1,250.
OrderInterval hodges_lehmann(std::span<const double> values, double confidence,
                             Method method = Method::automatic);

}  // namespace plumbline
