/// Steadier variances of many cases with few values each, by sharing information between cases.
///
/// Smyth 2004, "Linear models and empirical Bayes methods for assessing differential expression in
/// microarray experiments" (limma's fitFDist and squeezeVar). Pure numbers, no cases.
#pragma once

#include <span>

namespace plumbline {

/// Scaled inverse χ² prior of the variances: d0 degrees of freedom around s0². d0 is infinite if
/// chance alone explains the differences of the variances, and 0 if they teach nothing.
struct VariancePrior {
  double df = 0;
  double variance = 0;
};

/// Fits the prior to sample variances and their degrees of freedom (same length, each above 0), by
/// the mean and the variance of the log variances. Variances below 1e-5 of the median of the
/// positive ones are raised to that, as in limma. A single variance, or only zeros, gives d0 = 0.
/// Throws Error on empty, unequal, negative or non-finite input.
VariancePrior fit_variance_prior(std::span<const double> variances, std::span<const double> dfs);

/// Upper tail of the F distribution: the probability of this ratio or more between two sample
/// variances of one true variance. `ratio` is at least 0, infinite if the other variance is 0;
/// degrees of freedom are above 0.
double p_of_variance_ratio(double ratio, double df, double other_df);

/// Median of the F distribution: half of all ratios of two sample variances lie below it. Degrees
/// of freedom above 0.
double median_variance_ratio(double df, double other_df);

/// (d0·s0² + d·s²) / (d0 + d); s0² where d0 is infinite.
double moderated_variance(double variance, double df, const VariancePrior& prior);

/// x > 0 with trigamma(x) = y, for y > 0, by Newton's iteration on 1/trigamma (Smyth 2004,
/// appendix). It is convex, so the iteration converges from one side.
double trigamma_inverse(double y);

}  // namespace plumbline
