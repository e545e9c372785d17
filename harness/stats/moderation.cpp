#include "stats/moderation.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr double kSmallestShareOfMedian = 1e-5;

/// E[log s²] − log σ² for a sample variance with d degrees of freedom.
double log_bias(double df) { return boost::math::digamma(df / 2) - std::log(df / 2); }

void require_input(std::span<const double> variances, std::span<const double> dfs) {
  require_finite(variances, 1, "prior of variances");
  require_finite(dfs, 1, "prior of variances, degrees of freedom");
  if (variances.size() != dfs.size())
    throw Error("prior of variances: " + std::to_string(variances.size()) + " variances but " +
                std::to_string(dfs.size()) + " degrees of freedom");
  if (std::ranges::any_of(variances, [](double v) { return v < 0; }))
    throw Error("prior of variances: a variance is negative");
  if (std::ranges::any_of(dfs, [](double d) { return d <= 0; }))
    throw Error("prior of variances: degrees of freedom must be above 0");
  constexpr double kLeast = 1e-6;  // below this the spread of log s² cannot be computed
  if (std::ranges::any_of(dfs, [](double d) { return d < kLeast; }))
    throw Error("prior of variances: degrees of freedom below 1e-6 say nothing");
}

/// Median of the variances above zero; the lower limit is a share of it. Most variances may be
/// exactly zero (a metric that counts).
double median_above_zero(std::span<const double> variances) {
  std::vector<double> positive;
  std::ranges::copy_if(variances, std::back_inserter(positive), [](double v) { return v > 0; });
  return positive.empty() ? 0 : median(positive);
}

}  // namespace

double trigamma_inverse(double y) {
  if (!(y > 0) || !std::isfinite(y))
    throw Error("inverse of trigamma: " + std::to_string(y) + " is outside (0, inf)");
  if (y > 1e12) return 1 / std::sqrt(y);  // trigamma(x) → 1/x² for x → 0, and → 1/x for x → ∞
  if (y < 1e-9) return 1 / y;
  double x = 0.5 + 1 / y;
  for (int i = 0; i < 100; ++i) {
    const double value = boost::math::trigamma(x);
    const double step = value * (1 - value / y) / boost::math::polygamma(2, x);
    x += step;
    if (-step / x < 1e-12) break;
  }
  return x;
}

VariancePrior fit_variance_prior(std::span<const double> variances, std::span<const double> dfs) {
  require_input(variances, dfs);
  const double smallest = kSmallestShareOfMedian * median_above_zero(variances);
  if (variances.size() < 2 || smallest == 0) return {0, 0};
  std::vector<double> logs(variances.size());
  double chance = 0;  // variance of log s² due to sampling alone
  for (std::size_t i = 0; i < variances.size(); ++i) {
    logs[i] = std::log(std::max(variances[i], smallest)) - log_bias(dfs[i]);
    chance += boost::math::trigamma(dfs[i] / 2);
  }
  const double excess = variance(logs) - chance / static_cast<double>(logs.size());
  const double center = mean(logs);
  if (excess <= 0) return {std::numeric_limits<double>::infinity(), std::exp(center)};
  const double df = 2 * trigamma_inverse(excess);
  return {df, std::exp(center + log_bias(df))};
}

double p_of_variance_ratio(double ratio, double df, double other_df) {
  if (!(ratio >= 0) || !(df > 0) || !(other_df > 0))
    throw Error("ratio of variances: needs a ratio of at least 0 and degrees of freedom above 0");
  if (std::isinf(ratio)) return 0;  // the other variance is 0
  return boost::math::cdf(boost::math::complement(boost::math::fisher_f(df, other_df), ratio));
}

double median_variance_ratio(double df, double other_df) {
  if (!(df > 0) || !(other_df > 0))
    throw Error("ratio of variances: needs degrees of freedom above 0");
  return boost::math::median(boost::math::fisher_f(df, other_df));
}

double moderated_variance(double variance, double df, const VariancePrior& prior) {
  if (!(df > 0) || !(variance >= 0) || !(prior.df >= 0) || !(prior.variance >= 0))
    throw Error(
        "moderated variance: needs a variance of at least 0 and degrees of freedom above 0");
  if (std::isinf(prior.df)) return prior.variance;
  return (prior.df * prior.variance + df * variance) / (prior.df + df);
}

}  // namespace plumbline
