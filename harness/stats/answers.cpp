#include "stats/answers.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/value.h"
#include "stats/bootstrap.h"
#include "stats/descriptive.h"
#include "stats/dip.h"
#include "stats/dip_table.h"
#include "stats/harrell_davis.h"
#include "stats/hodges_lehmann.h"
#include "stats/moderation.h"
#include "stats/modes.h"
#include "stats/multiplicity.h"
#include "stats/order_interval.h"
#include "stats/rank_tests.h"
#include "stats/sign_flip.h"
#include "stats/trend.h"

namespace plumbline {
namespace {

std::string percent(double share) { return shortest_text(std::round(share * 1e6) / 1e4) + " %"; }

/// The interval that a row gives beside its estimate.
void put(const OrderInterval& found, const StatOptions& options, StatResult& result) {
  result.estimate = found.interval.center;
  result.interval = {found.interval.low, found.interval.high};
  if (found.method == Method::exact) result.coverage = found.coverage;
  if (found.coverage < options.confidence * (1 - 1e-12))
    result.notes.push_back("so few values cannot give an interval of " +
                           percent(options.confidence) + "; the outermost one covers " +
                           percent(found.coverage));
}

/// What a test of one list or of pairs looks at.
std::vector<double> differences(const StatInput& input) {
  std::vector<double> values(input.a.begin(), input.a.end());
  if (input.b.empty()) return values;
  if (input.b.size() != values.size())
    throw Error("pairs: the lists hold " + std::to_string(values.size()) + " and " +
                std::to_string(input.b.size()) + " numbers, expected as many in both");
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = input.b[i] - values[i];
  return values;
}

StatResult interval_of_quantile(const StatInput& input, double probability) {
  const OrderInterval found = quantile_interval(input.a, probability, input.options.confidence);
  StatResult result;
  put(found, input.options, result);
  result.method = found.method;
  return result;
}

template <std::vector<double> (*adjust)(std::span<const double>)>
StatResult adjusted_by(const StatInput& input) {
  StatResult result;
  result.per_value = {"p_value", adjust(input.a)};
  return result;
}

}  // namespace

StatResult answer_welch(const StatInput& input) {
  const TestResult found = welch_test(input.a, input.b);
  const Tails tails{student_t_cdf(found.statistic, found.df),
                    student_t_cdf(-found.statistic, found.df)};
  const double error = std::sqrt(variance(input.a) / static_cast<double>(input.a.size()) +
                                 variance(input.b) / static_cast<double>(input.b.size()));
  const double half = error * student_t_quantile(0.5 + input.options.confidence / 2, found.df);
  StatResult result;
  result.statistic = found.statistic;
  result.p_value = p_value(tails, input.options.alternative);
  result.estimate = found.estimate;
  result.interval = {found.estimate - half, found.estimate + half};
  result.details = {{"df", found.df}, {"standard_error", error}};
  if (error == 0) result.notes.push_back("neither list varies: p has no scatter to rest on");
  return result;
}

StatResult answer_mann_whitney(const StatInput& input) {
  const StatOptions& options = input.options;
  const MannWhitney found = mann_whitney(input.a, input.b, options.alternative, options.method);
  StatResult result;
  put(hodges_lehmann_shift(input.a, input.b, options.confidence, options.method), options, result);
  result.statistic = found.u;
  result.p_value = found.p_value;
  result.method = found.method;
  const auto pairs = static_cast<double>(input.a.size() * input.b.size());
  result.details = {{"share_above", found.u / pairs}};
  if (found.has_ties)
    result.notes.push_back("there are ties: the interval covers at least as much as is said");
  return result;
}

StatResult answer_wilcoxon(const StatInput& input) {
  const StatOptions& options = input.options;
  const std::vector<double> values = differences(input);
  const SignedRank found = wilcoxon_signed_rank(values, options.alternative, options.method);
  StatResult result;
  put(hodges_lehmann(values, options.confidence, options.method), options, result);
  result.statistic = options.alternative == Alternative::two_sided
                         ? std::min(found.positive, found.negative)
                         : found.positive;
  result.p_value = found.p_value;
  result.method = found.method;
  result.details = {{"positive_rank_sum", found.positive},
                    {"negative_rank_sum", found.negative},
                    {"zeros", static_cast<double>(found.zeros)}};
  if (found.zeros > 0)
    result.notes.push_back(std::to_string(found.zeros) + " of " + std::to_string(values.size()) +
                           " differences are 0: left out of the test, not of the interval");
  if (found.has_ties)
    result.notes.push_back("there are ties: the interval covers at least as much as is said");
  return result;
}

StatResult answer_sign_flip(const StatInput& input) {
  const StatOptions& options = input.options;
  const SignFlip found = sign_flip(differences(input), options.alternative, options.method,
                                   static_cast<std::size_t>(options.resamples),
                                   static_cast<std::uint64_t>(options.seed));
  StatResult result;
  result.statistic = result.estimate = found.mean;
  result.p_value = found.p_value;
  result.method = found.method;
  if (found.method != Method::exact) result.details = {{"p_value_error", found.error}};
  return result;
}

StatResult answer_hodges_lehmann(const StatInput& input) {
  const StatOptions& options = input.options;
  const OrderInterval found =
      input.b.empty() ? hodges_lehmann(input.a, options.confidence, options.method)
                      : hodges_lehmann_shift(input.a, input.b, options.confidence, options.method);
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

StatResult answer_harrell_davis(const StatInput& input) {
  StatResult result = interval_of_quantile(input, input.options.probability);
  result.estimate = harrell_davis(input.a, input.options.probability);
  return result;
}

StatResult answer_mad(const StatInput& input) {
  StatResult result;
  result.estimate = median_absolute_deviation(input.a);
  result.details = {{"median", median(input.a)}, {"normal_sd", *result.estimate * kSdPerMad}};
  return result;
}

StatResult answer_bootstrap(const StatInput& input) {
  const StatOptions& options = input.options;
  const BootstrapPlan plan{options.of, options.kind, options.confidence,
                           static_cast<std::size_t>(options.resamples),
                           static_cast<std::uint64_t>(options.seed)};
  const Bootstrap found =
      input.b.empty() ? bootstrap(input.a, plan) : bootstrap_shift(input.a, input.b, plan);
  StatResult result;
  result.estimate = found.interval.center;
  result.interval = {found.interval.low, found.interval.high};
  result.method = Method::monte_carlo;
  result.details = {{"standard_error", found.standard_error}};
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

StatResult answer_dip(const StatInput& input) {
  StatResult result;
  result.statistic = dip_statistic(input.a);
  result.p_value = dip_p_value(*result.statistic, input.a.size());
  result.method = Method::table;
  if (*result.p_value == kDipTails.back())
    result.notes.push_back("the table ends at p = " + shortest_text(kDipTails.back()) +
                           ": p is that or less");
  std::vector<double> sorted(input.a.begin(), input.a.end());
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    result.notes.push_back(
        "there are ties: steps of a timer's grid look like modes, p is too small");
  return result;
}

StatResult answer_modes(const StatInput& input) {
  const Modes found = find_modes(input.a, input.options.bandwidth);
  StatResult result;
  result.estimate = static_cast<double>(found.modes.size());
  result.details = {{"bandwidth", found.bandwidth}};
  result.lists = {{"positions", {}}, {"shares", {}}};
  for (const Mode& mode : found.modes) {
    result.lists[0].values.push_back(mode.at);
    result.lists[1].values.push_back(mode.share);
  }
  return result;
}

StatResult answer_bh(const StatInput& input) { return adjusted_by<benjamini_hochberg>(input); }

StatResult answer_by(const StatInput& input) { return adjusted_by<benjamini_yekutieli>(input); }

StatResult answer_holm(const StatInput& input) { return adjusted_by<holm>(input); }

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
