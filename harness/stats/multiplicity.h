/// Multiple testing: which of many tests are still significant.
///
/// Pure numbers, no cases.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plumbline {

/// Adjusted p values of Benjamini & Hochberg (1995), in the order of `p_values`. Rejecting those at
/// or below q limits the expected share of false rejections to q, under independence or positive
/// dependence. Empty input gives an empty result; a value outside [0, 1] throws Error.
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

/// Adjusted p values of Holm (1979), in the order of `p_values`. Rejecting those at or below q
/// limits the probability of any false rejection to q, whatever the dependence. Errors as above.
std::vector<double> holm(std::span<const double> p_values);

/// Adjusted p values over two levels (Benjamini & Bogomolov 2014), in the order of `p_values`;
/// `groups` has the group of each. Groups are tested by Simes and adjusted as above; within the R
/// of G groups rejected at `rate`, members are adjusted at rate × R / G. Rejecting those at or
/// below `rate` limits the average share of false rejections over the rejected groups to `rate`; do
/// not use another rate. One group gives benjamini_hochberg. Throws Error if sizes differ or `rate`
/// is outside (0, 1).
std::vector<double> hierarchical_benjamini_hochberg(std::span<const double> p_values,
                                                    std::span<const std::size_t> groups,
                                                    double rate);

/// Joint p value of all of them (Simes 1986): min n·p₍ᵢ₎ / i. Valid under independence or positive
/// dependence. Throws Error without any p value.
double simes(std::span<const double> p_values);

}  // namespace plumbline
