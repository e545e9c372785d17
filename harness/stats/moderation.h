/// Variances of many cases, each known from few values, made steadier by what they share.
///
/// Smyth 2004, "Linear models and empirical Bayes methods for assessing differential expression in
/// microarray experiments" (limma's fitFDist and squeezeVar). Pure numbers, no cases.
#pragma once

#include <span>

namespace plumbline {

/// Scaled inverse χ² prior of the variances: d0 degrees of freedom around s0². d0 is infinite where
/// the variances differ no more than chance explains, and 0 where nothing can be learned from them.
struct VariancePrior {
  double df = 0;
  double variance = 0;
};

/// Fits the prior to sample variances with the degrees of freedom of each (same length, each above
/// 0), by the mean and the variance of the log variances. Variances below 1e-5 of their median
/// count as that much, as in limma. One variance, or only zeros, gives d0 = 0. Throws Error on
/// empty, unequal, negative or non-finite input.
VariancePrior fit_variance_prior(std::span<const double> variances, std::span<const double> dfs);

/// Upper tail of the F distribution: how likely a sample variance is so many times another, or
/// more, where both are of one variance. `ratio` from 0, infinite where the other is 0; degrees of
/// freedom above 0.
double p_of_variance_ratio(double ratio, double df, double other_df);

/// Median of the F distribution: half of the sample variances are below so many times another.
/// Degrees of freedom above 0.
double median_variance_ratio(double df, double other_df);

/// (d0·s0² + d·s²) / (d0 + d); s0² where d0 is infinite.
double moderated_variance(double variance, double df, const VariancePrior& prior);

/// x > 0 with trigamma(x) = y, for y > 0, by Newton's iteration on 1/trigamma (Smyth 2004,
/// appendix), which is convex, so that it converges from one side.
double trigamma_inverse(double y);

}  // namespace plumbline
