/// Between the blocks of a visit: what placement in memory moves, what moves at one placement, and
/// the line over the visit's time.
///
/// Sums of squares over many visits and their expectations; knows rows of one metric, neither
/// processes nor runs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

/// A variance known with fewer degrees of freedom than this is not told.
inline constexpr double kLeastDf = 1;

/// The blocks of one visit that count.
struct VisitBlocks {
  std::vector<double> values;       // medians / the visit's mean
  std::vector<double> times_s;      // empty where they are unknown
  std::vector<std::size_t> places;  // number of the placement, from 0; empty where unknown
  std::size_t place_count = 0, samples = 0, set_aside = 0;
  double per_launch = 0;  // variance of a block's median per variance of a launch, mean over blocks

  std::size_t size() const { return values.size(); }
};

/// `mean`: of the blocks' medians, not 0.
VisitBlocks blocks_of(const ResultRow& row, double mean);

/// Share of each placement in the mean over a visit, squared and summed: 1/n without revisits.
double place_weight(const VisitBlocks& visit);

/// Sums of squares of visits' blocks and the coefficients of their expectations. With M what takes
/// mean and line out of a visit's values y, W what takes the means of its placements out, t the
/// times, Z the table of placements:
///   E |M y|² = revisit × tr M + placement × tr Z'MZ
///   E |W (y − slope × t)|² = revisit × tr W, where placements cancel
/// The visits share the slope that is taken out at one placement: few of their blocks are revisits.
struct BlockMoments {
  double around_line = 0, df = 0;                // |M y|², tr M
  double placed_around_line = 0, placed_df = 0;  // the same of visits whose placements are known
  double placements = 0;                         // tr Z'MZ
  double same_place = 0, same_place_df = 0;      // |W y|², tr W
  double times = 0, times_square = 0;            // t'Wy, |W t|²
};

/// What a line explains of one visit.
struct LineFit {
  double slope = 0, length_s = 0;  // first block to last
  double times_square = 0;         // Σ (t − mean)²
  double explained = 0;            // sum of squares
  double placements = 0;           // coefficient of the placements' variance in E(explained)
  std::size_t blocks = 0;
};

/// Adds a visit to the sums. Gives its line where it has times and four blocks or more; of fewer
/// only the mean is taken out.
std::optional<LineFit> add_moments(const VisitBlocks& visit, BlockMoments& sum);

/// As the sums give them: unbiased, negative ones included, kUnknown where the blocks cannot tell.
struct BlockVariances {
  double block = kUnknown;      // between blocks of a visit
  double revisit = kUnknown;    // between blocks at one placement
  double placement = kUnknown;  // beyond that between placements; only where some are revisited
  double revisit_df = 0, placement_df = 0;
};
BlockVariances solve(const BlockMoments& sum);

}  // namespace plumbline
