/// Student's t and the normal distribution (Boost.Math), the interval of a mean, and what pairs of
/// values say about a loss (Student, "The probable error of a mean", Biometrika 6, 1908).
///
/// Pure numbers, no cases. Errors are thrown as Error.
#pragma once

#include <cstddef>
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

/// `interval` is of the mean difference. `p` is one-sided: how probable a mean this far below 0 is
/// if nothing was lost. If all differences are equal, the interval has no width, and p is 0 or 1.
struct PairedLoss {
  Interval interval;
  double p = 1;
};

/// Needs two differences, each a value less the one that it is compared with; `confidence` in
/// (0, 1). Throws Error for values that are not finite.
PairedLoss paired_loss(std::span<const double> differences, double confidence);

/// The mean loss that the one-sided test at `level` finds with probability `power`, if differences
/// have the standard deviation `sd` and there are `pairs` of them: t then has a noncentral
/// distribution (Johnson & Welch, Biometrika 31, 1940). In the unit of `sd`. Needs two pairs,
/// `level` in (0, 0.5), `power` in (`level`, 1).
double smallest_visible_loss(double sd, std::size_t pairs, double level, double power);

}  // namespace plumbline
