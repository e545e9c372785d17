/// Whether values rise or fall in their order, and by how much a step.
///
/// Mann 1945 and Kendall 1975 (test), Theil 1950 and Sen 1968 (slope), Hamed & Rao 1998
/// (autocorrelation). Pure numbers, no cases. Errors are thrown as Error; all of these take time
/// with the square of the number of values, and no more than kMostTrendPoints of them.
#pragma once

#include <cstddef>
#include <span>

#include "stats/order_interval.h"

namespace plumbline {

inline constexpr std::size_t kMostTrendPoints = 5000;

struct MannKendall {
  double s = 0;          // pairs that rise less pairs that fall
  double tau = 0;        // s over all pairs
  double variance = 0;   // of s if there is no trend, with ties and autocorrelation
  double inflation = 1;  // of the variance, by autocorrelation; 0 or less: none was applied
  double p_value = 1;
  Method method = Method::exact;
};

/// What autocorrelation does to the variance of S. Both rules take the autocorrelations of the
/// ranks of what is left without Sen's slope, where they differ from 0 at the 5 % level.
/// `hamed_rao` takes those of all lags, as published; where that makes the variance negative it is
/// left as without them. `leading_lags`, our variant, takes those before the first lag that does
/// not differ and never narrows the variance, because lags far out differ by chance and undo what
/// the near ones do.
enum class Autocorrelation { none, hamed_rao, leading_lags };

/// Whether the values rise or fall. Needs two, and four with a correction. `automatic`: exact, with
/// ties, up to 10 values (up to 100 if asked for), then normal with the variance corrected for ties
/// and S brought nearer to 0 by 1; asymptotic always with a correction. Values that are all equal
/// give p = 1.
MannKendall mann_kendall(std::span<const double> values, Alternative alternative,
                         Method method = Method::automatic,
                         Autocorrelation correction = Autocorrelation::none);

/// The median of the slopes of all pairs of points with different x, and Sen's interval: by
/// Kendall's distribution up to 10 points without ties, else normal with ties. An empty `x` stands
/// for 0, 1, 2, …. Needs two points; x that are all equal are an Error.
OrderInterval theil_sen(std::span<const double> y, std::span<const double> x, double confidence);

}  // namespace plumbline
