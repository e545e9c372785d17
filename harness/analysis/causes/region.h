/// Where in a sweep cases changed: regions of the parameters that hold the changed cases and as few
/// of the unchanged ones as possible.
///
/// A region is a box: a set of values or a range for each parameter, both taken from the changed
/// cases. A box that holds too many unchanged cases is cut in two where that shortens the
/// description: bits for the conditions and for the exceptions inside (minimum description length,
/// Rissanen 1978). Parameters are texts here; ops and times are unknown.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/causes/cause.h"

namespace plumbline {

/// `open` cases may have changed or not: they are counted and do not influence the regions.
enum class Mark { changed, unchanged, open };

struct SweepPoint {
  std::vector<std::pair<std::string, std::string>> params;  // name and value
  Mark mark = Mark::unchanged;
};

struct Region {
  std::vector<AxisCondition> conditions;         // none: everything
  std::vector<std::size_t> members;              // changed points that no earlier region has
  std::size_t changed = 0, cases = 0, open = 0;  // points that meet the conditions
};

/// Regions that together hold every changed point, largest first. Empty without changed points.
std::vector<Region> regions_of(std::span<const SweepPoint> points);

}  // namespace plumbline
