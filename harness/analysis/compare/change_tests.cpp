#include "analysis/compare/change_tests.h"

#include <algorithm>
#include <map>
#include <numbers>
#include <string_view>

#include "analysis/variance/noise_fit.h"
#include "analysis/variance/sensitivity.h"
#include "core/parallel.h"
#include "stats/descriptive.h"
#include "stats/moderation.h"

namespace plumbline {
namespace {

/// Noise between visits: at least what their blocks show.
std::vector<Noise> noise_of_visits(const std::vector<Contrast>& contrasts,
                                   const std::vector<Finding>& findings) {
  std::vector<OwnNoise> own;
  for (const Contrast& contrast : contrasts) {
    const Finding& finding = findings[contrast.finding];
    own.push_back(
        {finding.metric, finding.op, contrast.variance, contrast.df, contrast.block_floor});
  }
  return moderated_noise(own);
}

/// Noise between whole runs, as earlier runs show it.
std::vector<Noise> noise_of_runs(const std::vector<Contrast>& contrasts,
                                 const std::vector<Finding>& findings) {
  std::vector<OwnNoise> own;
  for (const Contrast& contrast : contrasts) {
    const Finding& finding = findings[contrast.finding];
    own.push_back({finding.metric, finding.op, contrast.history_variance, contrast.history_df, 0});
  }
  return moderated_noise(own);
}

/// Variance of a difference of estimates as the sum of two independent parts: visits and whole
/// runs. Degrees of freedom of the sum by Satterthwaite (1946).
Noise summed(const Noise& visits, const Noise& runs) {
  const double sum = visits.variance + runs.variance;
  const double spread =
      visits.variance * visits.variance / visits.df + runs.variance * runs.variance / runs.df;
  return {sum, spread > 0 ? sum * sum / spread : visits.df};
}

/// Splits an error of `variance` into its parts. The variance of a history contains that of visits,
/// so the rest is what runs add.
ErrorParts error_parts(const Contrast& contrast, double variance, const Noise& visits,
                       const Noise& runs) {
  ErrorParts parts;
  parts.block = std::min(contrast.block_floor * contrast.inverse_visits, variance);
  parts.visit = std::clamp(visits.variance * contrast.inverse_visits - parts.block, 0.0,
                           variance - parts.block);
  parts.run = std::max(0.0, variance - parts.block - parts.visit);
  parts.visit_df = visits.df;
  parts.run_df = runs.df;
  parts.rounds = 2 / contrast.inverse_visits;
  parts.blocks = contrast.blocks;
  return parts;
}

/// The steps of more tests would take as much memory as everything else together.
constexpr std::size_t kMostExplained = 10'000;

/// Variance of the median of some visits, divided by that of their mean.
constexpr double kOfMiddle = std::numbers::pi / 2;

/// Variance of the median of n values, divided by that of one value: π / 2n for large n.
double variance_of_median(std::size_t n) {
  return n <= 2 ? 1 / double(n) : std::numbers::pi / (2 * double(n));
}

/// Fewer cases on several machines do not show how far machines differ.
constexpr std::size_t kMachineCases = 12;

/// Variance that the visits of a machine of the baseline leave in its estimate.
double visits_of_machine(const Contrast& contrast, const Noise& visits) {
  return kOfMiddle * visits.variance * (contrast.inverse_visits - contrast.inverse_of_candidate);
}

/// For each metric, the variance between machines beyond the noise of visits: the median over cases
/// on several machines. The variances of cases follow an F distribution with `run_df` degrees of
/// freedom (Smyth 2004), whose median scales them. With few cases, the rule's value.
std::map<std::string_view, double> machine_variances(const std::vector<Contrast>& contrasts,
                                                     const std::vector<Finding>& findings,
                                                     const std::vector<Noise>& visits,
                                                     const DecisionRule& rule) {
  std::map<std::string_view, std::vector<double>> beyond;
  for (std::size_t i = 0; i < contrasts.size(); ++i)
    if (const Contrast& contrast = contrasts[i]; contrast.is_of_machines)
      beyond[findings[contrast.finding].metric].push_back(
          contrast.history_variance / median_variance_ratio(contrast.history_df, rule.run_df) -
          visits_of_machine(contrast, visits[i]));
  std::map<std::string_view, double> variances;
  for (const auto& [metric, of_cases] : beyond)
    variances[metric] = of_cases.size() < kMachineCases ? rule.run_sd * rule.run_sd
                                                        : std::max(0.0, median(of_cases));
  return variances;
}

/// How far machines differ in one case, moderated: few machines alone would show it badly.
Noise noise_of_machine(const Contrast& contrast, const Noise& visits, double usual,
                       const DecisionRule& rule) {
  const double own = std::max(0.0, contrast.history_variance - visits_of_machine(contrast, visits));
  const VariancePrior prior{rule.run_df, usual};
  return {moderated_variance(own, contrast.history_df, prior), rule.run_df + contrast.history_df};
}

/// Noise of the difference between a run and its baseline's level, as earlier runs show it.
Noise known_noise(const Contrast& contrast, const Noise& of_runs) {
  return {of_runs.variance * (1 + variance_of_median(contrast.center_runs)), of_runs.df};
}

/// Raises the noise to that of blocks, to the timer's rounding of both sides, and to that of the
/// candidate's visits where they are disturbed.
Noise bounded(Noise noise, const Contrast& contrast) {
  constexpr double kOfRounding = 1.0 / 12;  // a uniform error within one step
  noise.variance = std::max({noise.variance, contrast.block_floor * contrast.inverse_visits,
                             2 * kOfRounding * contrast.resolution * contrast.resolution});
  if (contrast.own_df > 0 && contrast.own_variance > noise.variance)
    noise = {contrast.own_variance, contrast.own_df};
  return noise;
}

struct Errors {
  Noise noise;    // of the change
  Noise of_rule;  // the part of it that the rule assumes for whole runs
};

/// For a machine on which no run of the baseline ran: the median of its visits is compared with the
/// median of the machines.
Errors errors_on_new_machine(const Contrast& contrast, const Noise& visits, const Noise& machines) {
  const double share = variance_of_median(contrast.center_runs);
  const Noise seen{kOfMiddle * visits.variance * contrast.inverse_of_candidate +
                       share * visits_of_machine(contrast, visits),
                   visits.df};
  const Noise between{machines.variance * (1 + share), machines.df};
  return {bounded(summed(seen, between), contrast), between};
}

/// If earlier runs of the case show the noise between runs, it includes that of visits. Otherwise
/// the rule's is added to the noise of visits, or to that between runs of similar cases if larger.
Errors errors_of(const Contrast& contrast, const Noise& visits, const Noise& history,
                 const Noise& rule) {
  if (contrast.is_of_machines) return errors_on_new_machine(contrast, visits, history);
  const bool is_known = contrast.history_df > 0;
  const double of_runs = 2 * history.variance;
  Noise noise{visits.variance * contrast.inverse_visits, visits.df};
  if (is_known)
    noise = bounded(known_noise(contrast, history), contrast);
  else if (history.df > 0 && of_runs > noise.variance)
    noise = {of_runs, history.df};
  if ((is_known && !contrast.is_other_device) || rule.variance == 0) return {noise, {}};
  return {summed(noise, rule), rule};
}

/// Two whole runs, one for each side, each with its own deviation.
Noise of_two_runs(const Contrast& contrast, const DecisionRule& rule) {
  if (contrast.apart_df > 0) return {2 * contrast.apart_sd * contrast.apart_sd, contrast.apart_df};
  return {2 * rule.run_sd * rule.run_sd, rule.run_df};
}

std::shared_ptr<Derivation> way_of(const Contrast& contrast, const Shift& shift,
                                   const Noise& of_visits, const Noise& of_runs,
                                   const Noise& of_rule) {
  auto made = std::make_shared<Derivation>();
  Derivation& way = *made;
  way.change = contrast.change;
  way.center_runs = contrast.center_runs;
  way.shift = shift.value;
  way.shift_error = shift.error;
  way.inverse_visits = contrast.inverse_visits;
  way.own_visits = {contrast.variance, contrast.df};
  way.block_floor = contrast.block_floor;
  way.visits = of_visits;
  if (contrast.history_df > 0) way.own_runs = {contrast.history_variance, contrast.history_df};
  way.runs = of_runs;
  way.is_on_new_machine = contrast.is_of_machines;
  way.rule = of_rule;
  way.disturbed_variance = contrast.own_variance;
  way.disturbed_df = contrast.own_df;
  way.resolution = contrast.resolution;
  return made;
}

}  // namespace

std::vector<ChangeTest> change_tests(const std::vector<Contrast>& contrasts, const Shifts& shifts,
                                     const DecisionRule& rule,
                                     const std::vector<Finding>& findings) {
  const std::vector<Noise> of_visits = noise_of_visits(contrasts, findings);
  std::vector<Noise> histories = noise_of_runs(contrasts, findings);
  const auto machines = machine_variances(contrasts, findings, of_visits, rule);
  std::vector<ChangeTest> tests(contrasts.size());
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    const Contrast& contrast = contrasts[i];
    const Noise runs = of_two_runs(contrast, rule);
    const Shift shift = shifts.of(contrast, findings[contrast.finding]);
    if (contrast.is_of_machines)
      histories[i] = noise_of_machine(contrast, of_visits[i],
                                      machines.at(findings[contrast.finding].metric), rule);
    const Errors errors = errors_of(contrast, of_visits[i], histories[i], runs);
    tests[i] = {contrast.change - shift.value,
                shift.error,
                errors.noise,
                error_parts(contrast, errors.noise.variance, of_visits[i],
                            histories[i].df > 0 ? histories[i] : runs),
                errors.of_rule,
                contrasts.size() <= kMostExplained
                    ? way_of(contrast, shift, of_visits[i], histories[i], errors.of_rule)
                    : nullptr};
  }
  return tests;
}

namespace {

/// Keeps `share` of the standard deviation that the rule assumes for whole runs. Degrees of freedom
/// stay: a few cases may be in modes that most are not in.
ChangeTest narrowed(ChangeTest test, double share) {
  const double dropped = (1 - share * share) * test.of_rule.variance;
  test.noise.variance -= dropped;
  test.parts.run -= dropped;
  return test;
}

/// The tests of one metric. Their errors are fitted to the scatter of its cases.
struct MetricTests {
  std::vector<ChangeTest>& all;
  std::vector<std::size_t> members;

  /// Of every n-th member where there are very many: they show the share to 2 %, and the search for
  /// it computes these a dozen times. is_refuted() allows for their number.
  std::vector<double> sizes(double share) const {
    constexpr std::size_t kEnough = 4'000;
    const std::size_t step = std::max<std::size_t>(1, members.size() / kEnough);
    std::vector<double> sizes((members.size() + step - 1) / step);
    for_each_index(sizes.size(), [&](std::size_t i) {
      sizes[i] = deviate_of(narrowed(all[members[i * step]], share).p_value());
    });
    return sizes;
  }

  /// Where no history shows how far whole runs differ, and the rule assumes far too much.
  double narrow() {
    if (std::ranges::any_of(members, [&](std::size_t i) { return all[i].of_rule.variance == 0; }))
      return 1;
    const double share = share_of_runs(members.size(), [this](double s) { return sizes(s); });
    if (share < 1)
      for (const std::size_t i : members) all[i] = narrowed(all[i], share);
    return share;
  }

  /// If nearly all cases really changed by the effect floor, half of them in each direction, the
  /// errors look larger than twice the floor. So errors above that are not attributed to noise.
  double widen(const DecisionRule& rule) {
    std::vector<double> deviates, errors;
    for (const std::size_t i : members) {
      deviates.push_back(std::copysign(deviate_of(all[i].p_value()), all[i].change));
      errors.push_back(all[i].error());
    }
    const double factor = excess_scatter(deviates);
    if (factor == 1 || factor * median(errors) > 2 * std::log1p(rule.effect_floor)) return 1;
    for (const std::size_t i : members) {
      const double added = (factor * factor - 1) * all[i].noise.variance;
      all[i].noise.variance += added;
      all[i].parts.run += added;
    }
    return factor;
  }
};

}  // namespace

NoiseFits fit_noise(std::vector<ChangeTest>& tests, const std::vector<Contrast>& contrasts,
                    const DecisionRule& rule, const std::vector<Finding>& findings) {
  std::map<std::string_view, std::vector<std::size_t>> metrics;
  for (std::size_t i = 0; i < tests.size(); ++i)
    if (const Finding& finding = findings[contrasts[i].finding]; finding.unit == "s")
      metrics[finding.metric].push_back(i);
  NoiseFits fits;
  for (const auto& [metric, members] : metrics) {
    MetricTests of_metric{tests, members};
    NoiseFit fit{.runs = of_metric.narrow()};
    if (fit.runs == 1) fit.errors = of_metric.widen(rule);
    if (fit != NoiseFit{}) fits.emplace(metric, fit);
  }
  return fits;
}

}  // namespace plumbline
