/// Whether a series moved, or only remembers: what a step explains beyond what is explained by
/// values that are like the ones before them.
///
/// Beaulieu & Killick 2018, "Distinguishing trends and shifts from memory in climate data":
/// levels with a step are held against one level with autocorrelation of the first order, by their
/// likelihoods. Permutations take values as exchangeable and call either a change. Pure numbers, no
/// cases.
#pragma once

#include <cstddef>
#include <span>

namespace plumbline {

/// A change is told where it is likelier by so much; see the README for what it lets through.
inline constexpr double kBeyondMemory = 15;

/// Sum of squares of what is new in each value, about a level before `at` and another from there
/// on (at = size: one level), where both sides remember alike. The coefficient is by least squares,
/// within 0 to 0.99.
double about_step_with_memory(std::span<const double> values, std::size_t at);

/// Twice the log of how much likelier normal values are about something that leaves the sum of
/// squares `rest` than about one level with memory: n log(sum about that level / rest), at least 0.
double beyond_memory(std::span<const double> values, double rest);

}  // namespace plumbline
