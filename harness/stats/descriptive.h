/// Location and spread of a list of numbers.
///
/// Pure numbers, no cases, no units: a result has the unit of the values (a variance its square).
/// Functions throw Error for values that are not finite and for too few values.
#pragma once

#include <span>
#include <vector>

namespace plumbline {

/// 1 / Φ⁻¹(3/4): standard deviation of normal data per median absolute deviation.
inline constexpr double kSdPerMad = 1.482602218505602;

double mean(std::span<const double> values);

/// Sample variance: divided by n − 1, in two passes. Needs two values.
double variance(std::span<const double> values);
double standard_deviation(std::span<const double> values);

/// Quantile by linear interpolation between order statistics (type 7 of Hyndman & Fan 1996, the
/// default of NumPy and R). `probability` in [0, 1].
double quantile(std::span<const double> values, double probability);
double median(std::span<const double> values);

/// quantile() for each of `probabilities`, from one sorted copy.
std::vector<double> quantiles(std::span<const double> values,
                              std::span<const double> probabilities);

/// Median of |value − median|, not scaled: multiplied by kSdPerMad it estimates a standard
/// deviation.
double median_absolute_deviation(std::span<const double> values);

/// Throws Error naming `what`: with the position of the first value that is not finite, or with the
/// number of values if it is below `at_least`.
void require_finite(std::span<const double> values, std::size_t at_least, const char* what);

}  // namespace plumbline
