/// Where a series changes: E-divisive (Matteson & James 2014) with permutation tests and a smallest
/// change that counts.
///
/// A split of a segment is scored by the energy distance of its two sides (exponent 1), so changes
/// of spread and shape count too. The search also tries splits of beginnings of the segment, which
/// end at its eighths. A series that rises and falls again shows two clear levels only there. The
/// best split is tested against the best splits of permutations of the segment, which accounts for
/// the selection. A significant split divides the segment, and the search goes on in both parts.
/// Each change is then moved to where two levels fit best; a side may then have only two values,
/// while the search needs min_size. Pure numbers, no cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plumbline {

struct ChangeSearch {
  std::size_t min_size = 5;     // values on each side
  double level = 0.01;          // of each permutation test
  double floor = 0;             // smallest |median after − median before| that counts
  std::size_t resamples = 999;  // p ≥ 1 / (1 + resamples)
  std::uint64_t seed = 1;
};

struct ChangePoint {
  std::size_t at = 0;            // first value of what comes after
  double statistic = 0;          // m n / (m + n) × energy distance
  double p_value = 1;            // of the best split of its segment, corrected for the selection
  double before = 0, after = 0;  // medians of the segments on each side, up to the next change
};

/// Changes in the order of the series; none for fewer than 2 × min_size values. Throws Error for
/// values that are not finite and for search options out of range.
std::vector<ChangePoint> change_points(std::span<const double> values, const ChangeSearch& search);

/// Sets `before` and `after` of the changes, which are in the order of the series. Removes changes
/// smaller than `floor`, the smallest first: each removal merges two segments.
void tell_levels(std::span<const double> values, double floor, std::vector<ChangePoint>& changes);

/// What the last values show, where they are fewer than min_size and no change can be searched for.
struct LateChange {
  std::optional<ChangePoint> change;  // Student's t, with p for all places tried
  bool last_is_apart = false;         // too few values to place a change
};

/// For values without a change by change_points(), such as those after the last change. The last 2
/// to min_size − 1 values are a change if they lie outside all values before them. The step must be
/// at least five standard errors and the floor, significant at a hundredth of the level, and more
/// than memory explains (memory.h). It needs min_size values before.
LateChange late_change(std::span<const double> values, const ChangeSearch& search);

}  // namespace plumbline
