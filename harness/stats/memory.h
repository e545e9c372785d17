/// Whether a series changed or is only autocorrelated: how much better a step explains the values
/// than memory does (each value resembles the one before).
///
/// Beaulieu & Killick 2018, "Distinguishing trends and shifts from memory in climate data". It
/// compares the likelihood of a step with that of one level with first-order autocorrelation.
/// Permutation tests assume exchangeable values, so to them both look like a change. Pure numbers,
/// no cases.
#pragma once

#include <cstddef>
#include <span>

namespace plumbline {

/// A change must have at least this beyond_memory(); the README says what still passes.
inline constexpr double kBeyondMemory = 15;

/// Sum of squared innovations about one level before `at` and another from there on (at = size: one
/// level). Both sides share one autoregressive coefficient, by least squares, limited to 0 … 0.99.
double about_step_with_memory(std::span<const double> values, std::size_t at);

/// Twice the log likelihood ratio of two models for normal values: one with the sum of squares
/// `rest`, and one level with memory. It is n log(sum about that level / rest), at least 0.
double beyond_memory(std::span<const double> values, double rest);

}  // namespace plumbline
