/// Where a series changes: E-divisive (Matteson & James 2014), with permutation tests, and the
/// smallest change that counts.
///
/// A split of a segment is scored by the energy distance of its two sides (exponent 1), so that
/// changes of spread and shape count as well as those of level. Splits of beginnings of the segment
/// are looked at too, an eighth of it apart: what rose and fell again has two levels nowhere else.
/// The best split is tested against the best splits of permutations of the segment, so that having
/// chosen the best is accounted for; a significant one divides the segment, and both parts are
/// searched on. Where it was found it is placed anew by the level on its sides, of which either may
/// then be as short as two values: the search itself cannot look closer to an end than min_size.
/// Pure numbers, no cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plumbline {

struct ChangeSearch {
  std::size_t min_size = 5;     // values on either side
  double level = 0.01;          // of each permutation test
  double floor = 0;             // smallest |median after − median before| that counts
  std::size_t resamples = 999;  // p ≥ 1 / (1 + resamples)
  std::uint64_t seed = 1;
};

struct ChangePoint {
  std::size_t at = 0;            // first value of what comes after
  double statistic = 0;          // m n / (m + n) × energy distance
  double p_value = 1;            // of the best split of its segment, selection included
  double before = 0, after = 0;  // medians of the segments on its sides, up to the next changes
};

/// Changes in the order of the series. Fewer values than 2 × min_size have none; values that are
/// not finite are an Error, and so is a search that is out of range.
std::vector<ChangePoint> change_points(std::span<const double> values, const ChangeSearch& search);

/// Sets `before` and `after` of changes in the order of the series, and leaves out those that are
/// smaller than `floor`, the smallest one first: its neighbours' segments grow together then.
void tell_levels(std::span<const double> values, double floor, std::vector<ChangePoint>& changes);

/// What the last values say, fewer than min_size of them, where no change can be searched for.
struct LateChange {
  std::optional<ChangePoint> change;  // its statistic is Student's t, over the places looked at
  bool last_is_apart = false;         // the last value alone: too few to place a change
};

/// Of values without a change by change_points(), such as those from the last one on. Two to
/// min_size − 1 values that lie outside of all before them are a change: by five standard errors, a
/// hundredth of the level, the floor, and more than memory explains (memory.h); min_size values
/// come before.
LateChange late_change(std::span<const double> values, const ChangeSearch& search);

}  // namespace plumbline
