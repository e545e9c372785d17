/// Whether values rise or fall in their order, and by how much per step.
///
/// Mann 1945 and Kendall 1975 (test), Theil 1950 and Sen 1968 (slope), Hamed & Rao 1998
/// (autocorrelation). Pure numbers, no cases. Errors are thrown as Error. The time grows with the
/// square of the number of values, which is at most kMostTrendPoints.
#pragma once

#include <cstddef>
#include <span>

#include "stats/order_interval.h"

namespace plumbline {

inline constexpr std::size_t kMostTrendPoints = 5000;

struct MannKendall {
  double s = 0;          // rising pairs minus falling pairs
  double tau = 0;        // s over all pairs
  double variance = 0;   // of s without a trend, with ties and autocorrelation
  double inflation = 1;  // factor on the variance, by autocorrelation; 0 or less: not applied
  double p_value = 1;
  Method method = Method::exact;
};

/// How autocorrelation changes the variance of S. Both rules subtract Sen's slope, rank the rest,
/// and use autocorrelations of the ranks that differ from 0 at the 5 % level. `hamed_rao` uses all
/// lags, as published; if the variance becomes negative, it stays uncorrected. `leading_lags`, our
/// variant, stops before the first lag that does not differ and never reduces the variance: distant
/// lags differ by chance and cancel the near ones.
enum class Autocorrelation { none, hamed_rao, leading_lags };

/// Tests for a trend. Needs two values, four with a correction. `automatic`: exact, with ties, up
/// to 10 values (up to 100 on request); above that, normal with the variance corrected for ties and
/// S moved towards 0 by 1. With a correction always asymptotic. Equal values give p = 1.
MannKendall mann_kendall(std::span<const double> values, Alternative alternative,
                         Method method = Method::automatic,
                         Autocorrelation correction = Autocorrelation::none);

/// The median slope of all pairs of points with different x, and Sen's interval: from Kendall's
/// distribution up to 10 points without ties, else normal with ties. An empty `x` means 0, 1, 2, ….
/// Needs two points; throws Error if all x are equal.
OrderInterval theil_sen(std::span<const double> y, std::span<const double> x, double confidence);

}  // namespace plumbline
