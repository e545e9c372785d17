#pragma once

#include <cstddef>
#include <span>

namespace plumbline {

double about_level_with_memory(std::span<const double> values);
double about_step_with_memory(std::span<const double> values, std::size_t at);
double beyond_memory(std::span<const double> values, double rest);
double bar_of_memory(std::size_t size);

}  // namespace plumbline
