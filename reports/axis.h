/// Axes of pictures that C++ draws: where a value lies, and which round numbers stand beside it.
///
/// The rule of the round numbers is that of js/axis.js.
#pragma once

#include <cstddef>
#include <vector>

namespace plumbline {

struct Axis {
  double low = 0, high = 1;  // the data's ends; above 0 on a logarithmic axis
  double from = 0, to = 1;   // where these lie in the picture
  bool is_log = false;

  double at(double value) const;

  /// Round numbers from low to high, rising: 1, 2 or 5 times powers of ten. Linear: with the
  /// smallest step that gives no more than `most` steps. Logarithmic: all, else powers of ten,
  /// else every second, third … of these, so that they are at most `most`.
  std::vector<double> ticks(std::size_t most) const;
};

}  // namespace plumbline
