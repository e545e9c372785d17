/// Whether values have more than one mode: the distance to the nearest distribution with one.
///
/// Hartigan & Hartigan 1985, "The dip test of unimodality". Pure numbers, no cases. Errors are
/// thrown as Error.
#pragma once

#include <cstddef>
#include <span>

namespace plumbline {

/// The largest difference between the empirical distribution function and the unimodal one that is
/// nearest to it; at least 1 / (2n), as a step of 1/n cannot be nearer to anything continuous.
/// Values that are all equal have that much. Needs one value.
double dip_statistic(std::span<const double> values);

/// P(dip as large) of n uniform numbers, the unimodal distribution with the largest dips, from a
/// simulated table (dip_table.h) of sqrt(n) × dip: linear in log p between its tails and in
/// 1 / sqrt(n) between its sizes. Between 0.0001, which stands for all that is smaller, and 1;
/// 1 for n < 4, whose dips are all alike.
double dip_p_value(double dip, std::size_t n);

}  // namespace plumbline
