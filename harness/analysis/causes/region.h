/// Where in a sweep cases changed: regions of the parameters that hold the changed cases and as few
/// of the unchanged ones as possible.
///
/// A region is a box: a set of values or a range for each parameter, both taken from the changed
/// cases. Where one box holds too many unchanged cases it is cut in two, as long as that makes the
/// whole shorter to tell: bits for the conditions, and for which cases inside are exceptions
/// (minimum description length, Rissanen 1978). Knows parameters as texts; nothing of ops or times.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/causes/cause.h"

namespace plumbline {

/// `open` cases may have changed or not: they decide nothing and are counted.
enum class Mark { changed, unchanged, open };

struct SweepPoint {
  std::vector<std::pair<std::string, std::string>> params;  // name and value
  Mark mark = Mark::unchanged;
};

struct Region {
  std::vector<AxisCondition> conditions;  // none: everything
  std::vector<std::size_t> members;       // changed points that no region before this one has
  std::size_t changed = 0, cases = 0, open = 0;  // points that fit
};

/// Regions that together hold every changed point, largest first. None without changed points.
std::vector<Region> regions_of(std::span<const SweepPoint> points);

}  // namespace plumbline
