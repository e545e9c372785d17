/// The scatter between blocks of a visit: from placement in memory, at one placement, and from a
/// line over the visit's time.
///
/// Sums of squares over many visits and their expectations. Knows rows of one metric, but not
/// processes or runs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

/// A variance with fewer degrees of freedom is not reported.
inline constexpr double kLeastDf = 1;

/// The blocks of one visit that count.
struct VisitBlocks {
  std::vector<double> values;       // medians / the visit's mean
  std::vector<double> times_s;      // empty if unknown
  std::vector<std::size_t> places;  // number of the placement, from 0; empty if unknown
  std::size_t place_count = 0, samples = 0, set_aside = 0;
  double per_launch = 0;  // a median's variance relative to a launch's, mean over blocks

  std::size_t size() const { return values.size(); }
};

/// `mean`: of the blocks' medians; must not be 0.
VisitBlocks blocks_of(const ResultRow& row, double mean);

/// Sum of the squared shares of placements in the mean over a visit: 1/n without revisits.
double place_weight(const VisitBlocks& visit);

/// Sums of squares of visits' blocks, and the coefficients of their expectations. M removes mean
/// and line from a visit's values y; W removes the means of its placements; t is the times; Z the
/// table of placements:
///   E |M y|² = revisit × tr M + placement × tr Z'MZ
///   E |W (y − slope × t)|² = revisit × tr W, where placements cancel
/// Visits share the slope that is removed at one placement: few of their blocks are revisits.
struct BlockMoments {
  double around_line = 0, df = 0;                // |M y|², tr M
  double placed_around_line = 0, placed_df = 0;  // the same for visits with known placements
  double placements = 0;                         // tr Z'MZ
  double same_place = 0, same_place_df = 0;      // |W y|², tr W
  double times = 0, times_square = 0;            // t'Wy, |W t|²
};

/// What a line explains in one visit.
struct LineFit {
  double slope = 0, length_s = 0;  // first block to last
  double times_square = 0;         // Σ (t − mean)²
  double explained = 0;            // sum of squares
  double placements = 0;           // coefficient of the placements' variance in E(explained)
  std::size_t blocks = 0;
};

/// Adds a visit to the sums. Returns its line if it has times and at least four blocks; with fewer
/// blocks only the mean is removed.
std::optional<LineFit> add_moments(const VisitBlocks& visit, BlockMoments& sum);

/// Unbiased, so variances may be negative; kUnknown if the blocks do not show them.
struct BlockVariances {
  double block = kUnknown;      // between blocks of a visit
  double revisit = kUnknown;    // between blocks at one placement
  double placement = kUnknown;  // beyond that, between placements; only if some are revisited
  double revisit_df = 0, placement_df = 0;
};
BlockVariances solve(const BlockMoments& sum);

}  // namespace plumbline
