/// What a slow change leaves unexplained, to tell it from a step.
#pragma once

#include <cstddef>
#include <span>

namespace plumbline {

/// Sum of squares about the best ramp, by least squares over all places of its bend: a level and
/// then a straight line from its end, or a line and then a level; a line throughout is one of them.
/// 0 for fewer than two values.
double about_best_ramp(std::span<const double> values);

/// Sum of squares about a level before `at` and another from there on; 0 < at < size.
double about_step(std::span<const double> values, std::size_t at);

}  // namespace plumbline
