/// Axes of pictures that C++ draws: positions of values, and the round numbers beside the axis.
///
/// Round numbers follow the same rule as in js/axis.js.
#pragma once

#include <cstddef>
#include <vector>

namespace plumbline {

struct Axis {
  double low = 0, high = 1;  // range of the data; above 0 on a logarithmic axis
  double from = 0, to = 1;   // the same ends in the picture
  bool is_log = false;

  double at(double value) const;

  /// Round numbers from low to high, rising: 1, 2 or 5 times powers of ten. Linear: with the
  /// smallest step that gives at most `most` steps. Logarithmic: all of them, else powers of ten,
  /// else every second, third … of these, so that there are at most `most`.
  std::vector<double> ticks(std::size_t most) const;
};

}  // namespace plumbline
