/// Many tests at once: which of them still count.
///
/// Pure numbers, no cases.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plumbline {

/// Adjusted p values of Benjamini & Hochberg (1995), in the order of `p_values`: rejecting those at
/// or below q keeps the expected share of false ones at q, under independence or positive
/// dependence. Empty input gives an empty result; a value outside [0, 1] is an Error.
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

/// Adjusted p values over two levels (Benjamini & Bogomolov 2014), in the order of `p_values`:
/// `groups` names the group of each. Groups are tested by Simes and adjusted as above; within the R
/// of G groups that are rejected at `rate`, members are adjusted at rate × R / G. Rejecting those
/// at or below `rate` keeps the average share of false ones over the rejected groups at `rate`; at
/// another rate they mean nothing. One group is the same as benjamini_hochberg. Throws Error where
/// sizes differ or `rate` is outside (0, 1).
std::vector<double> hierarchical_benjamini_hochberg(std::span<const double> p_values,
                                                    std::span<const std::size_t> groups,
                                                    double rate);

/// p value of all of them together (Simes 1986): min n·p₍ᵢ₎ / i. Valid under independence or
/// positive dependence. No p value at all is an Error.
double simes(std::span<const double> p_values);

}  // namespace plumbline
