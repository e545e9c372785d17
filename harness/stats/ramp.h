/// What a gradual change leaves unexplained, to tell it from a step.
#pragma once

#include <cstddef>
#include <span>

namespace plumbline {

/// Sum of squares about the best ramp, by least squares over all positions of its bend: a level
/// followed by a straight line, or a line followed by a level, or a line throughout. The line takes
/// `least_steps` or more from value to value. 0 for fewer than two values.
double about_best_ramp(std::span<const double> values, std::size_t least_steps = 1);

/// Sum of squares about one level before `at` and another from there on; 0 < at < size.
double about_step(std::span<const double> values, std::size_t at);

}  // namespace plumbline
