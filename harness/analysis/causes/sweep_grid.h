/// Points of a sweep as numbers: for each parameter its values in order, and for each point the
/// index (code) of its value.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/causes/cause.h"
#include "analysis/causes/region.h"

namespace plumbline {

/// The values of one parameter. Code 0 is "not in the id"; then come numbers in rising order, then
/// other texts.
struct GridAxis {
  std::string name;
  std::vector<std::string> values;   // by code
  std::vector<double> numbers;       // by code; NaN where the value is not a number
  bool is_numeric = false;           // every value that occurs is a number
  std::vector<std::uint32_t> codes;  // of each point
};

std::vector<GridAxis> grid_of(std::span<const SweepPoint> points);

/// A condition on one axis that some points meet.
struct Literal {
  enum class Kind { equal, at_least, at_most, one_of };
  std::size_t axis = 0;
  Kind kind = Kind::equal;
  std::uint32_t code = 0;     // for equal, at_least, at_most
  std::vector<bool> allowed;  // for one_of, by code
  bool holds(const std::vector<GridAxis>& axes, std::size_t point) const {
    const std::uint32_t found = axes[axis].codes[point];
    switch (kind) {
      case Kind::equal:
        return found == code;
      case Kind::at_least:
        return found != 0 && found >= code;
      case Kind::at_most:
        return found != 0 && found <= code;
      case Kind::one_of:
        return allowed[found];
    }
    return false;
  }
};

/// The tightest conditions on each axis that all of `points` meet. An axis on which the points have
/// every value gives no condition. `points` must not be empty.
std::vector<Literal> tightest(const std::vector<GridAxis>& axes,
                              std::span<const std::size_t> points);

/// Literals as conditions for people: a lower and an upper end of one axis become a range.
std::vector<AxisCondition> conditions_of(const std::vector<GridAxis>& axes,
                                         std::span<const Literal> literals);

}  // namespace plumbline
