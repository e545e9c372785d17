/// Many tests at once: which of them still count.
///
/// Pure numbers, no cases.
#pragma once

#include <span>
#include <vector>

namespace plumbline {

/// Adjusted p values of Benjamini & Hochberg (1995), in the order of `p_values`: rejecting those at
/// or below q keeps the expected share of false ones at q, under independence or positive
/// dependence. Empty input gives an empty result; a value outside [0, 1] is an Error.
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace plumbline
