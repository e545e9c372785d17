/// Where a list lies: robust, and with the interval that belongs to the rank test of the same
/// question.
///
/// Hodges & Lehmann 1963; intervals by inverting Wilcoxon's signed-rank distribution without ties
/// (Lehmann 1975). Pure numbers.
#pragma once

#include <span>

#include "stats/order_interval.h"

namespace plumbline {

/// The median of the means of two values, each value with itself included. Needs one value.
/// `automatic`: the interval is exact up to 50 values. `exact` is an Error beyond about 1,250.
OrderInterval hodges_lehmann(std::span<const double> values, double confidence,
                             Method method = Method::automatic);

}  // namespace plumbline
