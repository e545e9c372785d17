/// Student's t and the normal distribution (Boost.Math), and the interval of a mean.
///
/// Pure numbers, no cases. Errors are thrown as Error.
#pragma once

#include <span>

namespace plumbline {

/// P(T ≤ t) with `df` > 0 degrees of freedom (infinite allowed: the normal distribution).
double student_t_cdf(double t, double df);

/// P(|T| ≥ |t|), accurate far into the tails.
double student_t_two_sided_p(double t, double df);

/// t with P(T ≤ t) = probability, which lies in (0, 1).
double student_t_quantile(double probability, double df);
double normal_quantile(double probability);

/// P(Z ≤ z) of the normal distribution, accurate far into the lower tail.
double normal_cdf(double z);

struct Interval {
  double center = 0, low = 0, high = 0;
  double half_width() const { return (high - low) / 2; }
};

/// Confidence interval of the mean of independent values by Student's t. Needs two values;
/// `confidence` in (0, 1).
Interval mean_interval(std::span<const double> values, double confidence);

}  // namespace plumbline
