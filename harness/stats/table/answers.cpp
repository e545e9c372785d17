#include "stats/table/answers.h"

#include <cmath>

#include "core/value.h"
#include "stats/descriptive.h"
#include "stats/hodges_lehmann.h"
#include "stats/moderation.h"
#include "stats/multiplicity.h"
#include "stats/order_interval.h"
#include "stats/trend.h"

namespace plumbline {
namespace {

std::string percent(double share) { return shortest_text(std::round(share * 1e6) / 1e4) + " %"; }

/// Stores a row's estimate and interval.
void put(const OrderInterval& found, const StatOptions& options, StatResult& result) {
  result.estimate = found.interval.center;
  result.interval = {found.interval.low, found.interval.high};
  if (found.method == Method::exact) result.coverage = found.coverage;
  if (found.coverage < options.confidence * (1 - 1e-12))
    result.notes.push_back("so few values cannot give an interval of " +
                           percent(options.confidence) + "; the outermost one covers " +
                           percent(found.coverage));
}

StatResult interval_of_quantile(const StatInput& input, double probability) {
  const OrderInterval found = quantile_interval(input.a, probability, input.options.confidence);
  StatResult result;
  put(found, input.options, result);
  result.method = found.method;
  return result;
}

}  // namespace

StatResult answer_hodges_lehmann(const StatInput& input) {
  const StatOptions& options = input.options;
  const OrderInterval found = hodges_lehmann(input.a, options.confidence, options.method);
  StatResult result;
  put(found, options, result);
  result.method = found.method;
  return result;
}

StatResult answer_median_interval(const StatInput& input) {
  return interval_of_quantile(input, 0.5);
}

StatResult answer_quantile(const StatInput& input) {
  return interval_of_quantile(input, input.options.probability);
}

StatResult answer_mad(const StatInput& input) {
  StatResult result;
  result.estimate = median_absolute_deviation(input.a);
  result.details = {{"median", median(input.a)}, {"normal_sd", *result.estimate * kSdPerMad}};
  return result;
}

StatResult answer_theil_sen(const StatInput& input) {
  const OrderInterval found = theil_sen(input.a, input.b, input.options.confidence);
  StatResult result;
  put(found, input.options, result);
  result.method = found.method;
  const double center =
      input.b.empty() ? static_cast<double>(input.a.size() - 1) / 2 : median(input.b);
  result.details = {{"intercept", median(input.a) - found.interval.center * center}};
  return result;
}

StatResult answer_mann_kendall(const StatInput& input) {
  const StatOptions& options = input.options;
  const MannKendall found =
      mann_kendall(input.a, options.alternative, options.method, options.autocorrelation);
  StatResult result;
  put(theil_sen(input.a, {}, options.confidence), options, result);
  result.statistic = found.s;
  result.p_value = found.p_value;
  result.method = found.method;
  result.details = {{"tau", found.tau}, {"variance", found.variance}};
  if (options.autocorrelation != Autocorrelation::none)
    result.details.push_back({"inflation", found.inflation});
  if (found.inflation <= 0)
    result.notes.push_back(
        "autocorrelation would make the variance negative: it is left without the correction");
  return result;
}

StatResult answer_bh(const StatInput& input) {
  StatResult result;
  result.per_value = {"p_value", benjamini_hochberg(input.a)};
  return result;
}

StatResult answer_simes(const StatInput& input) {
  StatResult result;
  result.p_value = simes(input.a);
  return result;
}

StatResult answer_moderation(const StatInput& input) {
  const VariancePrior prior = fit_variance_prior(input.a, input.b);
  StatResult result;
  result.estimate = prior.variance;
  result.details = {{"prior_df", prior.df}};
  result.per_value = {"moderated", {}};
  for (std::size_t i = 0; i < input.a.size(); ++i)
    result.per_value->values.push_back(moderated_variance(input.a[i], input.b[i], prior));
  if (prior.df == 0)
    result.notes.push_back("nothing can be learned from these variances: they stay as they are");
  return result;
}

}  // namespace plumbline
