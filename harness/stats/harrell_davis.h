/// A quantile from all order statistics: steadier than the two that lie beside it.
///
/// Harrell & Davis 1982. Pure numbers, no cases. Errors are thrown as Error.
#pragma once

#include <span>

namespace plumbline {

/// Mean of the order statistics with the weights that a Beta((n + 1)p, (n + 1)(1 − p)) variable
/// gives to the n parts of [0, 1]. `probability` in (0, 1). Needs one value.
double harrell_davis(std::span<const double> values, double probability);

}  // namespace plumbline
