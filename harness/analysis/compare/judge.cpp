#include "analysis/compare/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/compare/change_tests.h"
#include "analysis/compare/shifts.h"
#include "analysis/variance/sensitivity.h"
#include "core/parallel.h"
#include "core/words.h"
#include "stats/descriptive.h"
#include "stats/multiplicity.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

/// Student quantile of one probability, cached by degrees of freedom, which cases share.
class Quantile {
 public:
  explicit Quantile(double probability) : probability_(probability) {}
  double operator()(double df) {
    const auto [place, is_new] = known_.try_emplace(df, 0.0);
    if (is_new) place->second = student_t_quantile(probability_, df);
    return place->second;
  }

 private:
  double probability_;
  std::unordered_map<double, double> known_;
};

std::string limit_text(double fraction) { return fmt::format("{:.3g} %", 100 * fraction); }

int digits_for(double percent) {
  const double size = std::abs(percent);
  return size < 0.995 ? 2 : size < 9.95 ? 1 : 0;
}

/// With a sign; "−" as in tables.
std::string percent_number(double percent, int digits) {
  return (std::signbit(percent) ? "\u2212" : "+") + percent_digits(percent, digits);
}

/// Both ends, with the number of digits that the larger needs.
std::string range_text(double low, double high) {
  const int digits = digits_for(100 * std::max(std::abs(low), std::abs(high)));
  return percent_number(100 * low, digits) + " to " + percent_number(100 * high, digits) + " %";
}

std::string unresolved_reason(const Finding& finding, bool is_more_better, std::size_t tests) {
  const std::string range = range_text(*finding.change_low, *finding.change_high);
  const bool moved = *finding.change_low > 0 || *finding.change_high < 0;
  if (!moved) return "could be anything from " + range;
  if (std::abs(std::log1p(*finding.change)) < std::log1p(finding.threshold))
    return fmt::format("changed by {} ({}), below the {} that counts",
                       percent_text(*finding.change), range, limit_text(finding.threshold));
  return fmt::format("looks {} {} ({}), but chance alone can show this among {} comparisons",
                     percent_text(std::abs(*finding.change), false),
                     (*finding.change > 0) != is_more_better ? "slower" : "faster", range, tests);
}

/// The smallest estimated change that is reported, a logarithm. A true change of the threshold is
/// above it nine times out of ten. It is at least half of the threshold; on a new machine it is the
/// threshold: single cases do differ by as much between machines of a class.
double least_called(double threshold, double error, bool is_on_new_machine) {
  const double floor = std::log1p(threshold);
  return is_on_new_machine ? floor : std::max(floor - kPower90 * error, floor / 2);
}

/// `change`: a logarithm, above 0 where the case got worse.
Verdict decide(double change, double half, double least, const Finding& finding,
               const DecisionRule& rule) {
  const bool counts = *finding.adjusted_p <= rule.false_discovery_rate;
  if (counts && change - half > 0 && change >= least) return Verdict::slower;
  if (counts && change + half < 0 && change <= -least) return Verdict::faster;
  const double margin = std::log1p(rule.margin);
  if (change - half > -margin && change + half < margin) return Verdict::same;
  return Verdict::unresolved;
}

/// True if a case also moved in that direction before a shift was removed, by more than its noise.
/// Otherwise the change comes from the shift, to which other cases may have contributed. If the
/// shift alone reaches the threshold, the case's own change has to reach it too: among many cases,
/// some exceed their noise.
bool moved_itself(double raw, double half, double shift, bool got_worse, const Finding& finding) {
  const double floor = std::log1p(finding.threshold);
  const double least = std::max(half, std::abs(shift) >= floor ? floor : 0.0);
  return got_worse ? raw > least : raw < -least;
}

std::string shift_alone_reason(const Finding& finding, double half) {
  const double raw = std::log1p(*finding.raw_change);
  return fmt::format(
      "{} in itself ({}); only against the run's shift does it look changed ({}): pairs tell",
      std::abs(raw) <= half                           ? "unchanged"
      : std::abs(raw) < std::log1p(finding.threshold) ? "hardly changed"
                                                      : "moved less than the run",
      percent_text(*finding.raw_change), percent_text(*finding.change));
}

/// Weakens verdicts that depend on a removed shift. `raw`: the change before removal, above 0 where
/// the case got worse; `got_worse`: after removal. Two runs cannot tell whether the build or the
/// environment moved all cases. So a case that itself moved by the margin is not SAME.
void hold_against_shift(double raw, double half, double shift, bool got_worse,
                        const DecisionRule& rule, Finding& finding) {
  const bool looks_changed = *finding.change_low > 0 || *finding.change_high < 0;
  if (finding.verdict == Verdict::unresolved && !looks_changed) return;
  if (finding.verdict == Verdict::same) {
    const bool is_told = std::abs(shift) > std::log1p(rule.shift_floor);
    if (!is_told || std::abs(raw) + half < std::log1p(rule.margin)) return;
    finding.reason = fmt::format(
        "the same apart from the run's shift of {}; {} in itself: pairs tell which of them moved",
        percent_text(std::expm1(shift)), percent_text(*finding.raw_change));
  } else {
    if (moved_itself(raw, half, shift, got_worse, finding)) return;
    finding.reason = shift_alone_reason(finding, half);
  }
  finding.verdict = Verdict::unresolved;
}

/// The family of each contrast: one library's implementation of one op.
std::vector<std::size_t> families_of(const std::vector<Contrast>& contrasts,
                                     const std::vector<Finding>& findings) {
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> numbers;
  std::vector<std::size_t> families;
  for (const Contrast& contrast : contrasts) {
    const Finding& finding = findings[contrast.finding];
    families.push_back(
        numbers.try_emplace({finding.op, finding.backend}, numbers.size()).first->second);
  }
  return families;
}

/// The significance level of a single test: that of Benjamini–Hochberg for the number of changes
/// found, at least one.
double level_of_a_test(const std::vector<double>& adjusted, double rate) {
  const auto found = std::ranges::count_if(adjusted, [&](double p) { return p <= rate; });
  return rate * static_cast<double>(std::max<std::ptrdiff_t>(found, 1)) /
         static_cast<double>(adjusted.size());
}

/// Hands over the steps of a test, together with its outcome.
std::shared_ptr<const Derivation> derivation_of(ChangeTest& test, double level, double least,
                                                const NoiseFits& fits, const std::string& metric) {
  if (!test.way) return nullptr;
  test.way->change_noise = test.noise;
  test.way->error = test.error();
  test.way->level = level;
  test.way->least_called = least;
  if (const auto fit = fits.find(metric); fit != fits.end()) test.way->fit = fit->second;
  return std::move(test.way);
}

}  // namespace

std::string percent_text(double fraction, bool with_sign) {
  const double percent = 100 * fraction;
  const std::string text = percent_number(percent, digits_for(percent));
  return text.substr(!with_sign && text.starts_with('+') ? 1 : 0) + " %";
}

RunShifts judge(const std::vector<Contrast>& contrasts, const DecisionRule& rule,
                std::vector<Finding>& findings) {
  if (contrasts.empty()) return {};
  Shifts shifts = find_shifts(contrasts, rule, findings);
  std::vector<ChangeTest> tests = change_tests(contrasts, shifts, rule, findings);
  shifts.told.fits = fit_noise(tests, contrasts, rule, findings);
  std::vector<double> p_values(tests.size());
  for_each_index(tests.size(), [&](std::size_t i) { p_values[i] = tests[i].p_value(); });
  const std::vector<double> adjusted = hierarchical_benjamini_hochberg(
      p_values, families_of(contrasts, findings), rule.false_discovery_rate);
  const double level = level_of_a_test(adjusted, rule.false_discovery_rate);
  Quantile shown(0.5 + rule.confidence / 2), held(1 - level / 2);
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    Finding& finding = findings[contrasts[i].finding];
    const double change = tests[i].change;
    const Noise& noise = tests[i].noise;
    const double error = tests[i].error(), half = shown(noise.df) * error;
    const double least = least_called(finding.threshold, error, contrasts[i].is_of_machines);
    finding.derivation = derivation_of(tests[i], level, least, shifts.told.fits, finding.metric);
    finding.change = std::expm1(change);
    finding.change_low = std::expm1(change - half);
    finding.change_high = std::expm1(change + half);
    finding.raw_change = std::expm1(contrasts[i].change);
    finding.p_value = p_values[i];
    finding.adjusted_p = adjusted[i];
    // A change must pass the test, the interval and the floor: the highest of them counts.
    const double bar = std::max({held(noise.df) * error, half, least});
    finding.detectable = std::expm1(bar + kPower80 * error);
    finding.blind =
        blind_spot(tests[i].parts, half + kPower80 * error, rule.margin, rule.confidence);
    const bool is_more_better = contrasts[i].is_more_better;
    const double worse = is_more_better ? -1 : 1;
    finding.verdict = decide(worse * change, half, least, finding, rule);
    if (finding.verdict == Verdict::unresolved)
      finding.reason = unresolved_reason(finding, is_more_better, contrasts.size());
    if (change == contrasts[i].change) continue;
    const double raw_half = shown(noise.df) * std::sqrt(noise.variance);
    hold_against_shift(worse * contrasts[i].change, raw_half, contrasts[i].change - change,
                       worse * change > 0, rule, finding);
  }
  return shifts.told;
}

}  // namespace plumbline
