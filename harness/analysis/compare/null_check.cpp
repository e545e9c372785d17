#include "analysis/compare/null_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "stats/order_interval.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

constexpr double kConfidence = 0.98;
/// Median of z²: χ² with one degree of freedom.
constexpr double kMedianOfSquares = 0.4549364231195724;
/// The model fits if λ may lie between 1 / kFits and kFits.
constexpr double kFits = 1.1;

/// λ for a median p value of `p`, in [0, 1].
double lambda_of(double p) {
  const double z = deviate_of(p);
  return z * z / kMedianOfSquares;
}

std::string number(double value) { return fmt::format("{:.2f}", value); }

/// How the noise model was adjusted, as the end of a sentence; "" if it was not.
std::string fit_text(const NoiseFit& fit) {
  if (fit.errors > 1)
    return fmt::format(", with errors widened {} times to fit this run", number(fit.errors));
  if (fit.runs < 1)
    return fmt::format(", with the difference between whole runs cut to {} times to fit this run",
                       number(fit.runs));
  return "";
}

}  // namespace

std::optional<NullCheck> null_check(std::span<const Finding> findings, const NoiseFits& fits) {
  std::map<std::string_view, std::vector<double>> p_values;  // by metric
  for (const Finding& finding : findings)
    if (finding.p_value && finding.unit == "s")
      p_values[finding.metric].push_back(*finding.p_value);
  std::optional<NullCheck> worst;
  for (const auto& [metric, of_cases] : p_values) {
    if (of_cases.size() < kNullCheckCases) continue;
    const Interval middle = quantile_interval(of_cases, 0.5, kConfidence).interval;
    const double lambda = lambda_of(middle.center);
    if (worst && worst->lambda >= lambda) continue;
    const auto fit = fits.find(std::string(metric));
    worst = {std::string(metric),   lambda,          lambda_of(middle.high),
             lambda_of(middle.low), of_cases.size(), fit == fits.end() ? NoiseFit{} : fit->second};
  }
  return worst;
}

bool fits(const NullCheck& check) { return check.low <= kFits; }

std::string null_check_text(const NullCheck& check) {
  const std::string times = number(std::sqrt(check.lambda));
  const bool is_quiet = check.high < 1 / kFits;
  const std::string found = !fits(check) ? times + " times as much as expected"
                            : is_quiet   ? "only " + times + " times as much as expected"
                                         : "as expected";
  const std::string text =
      fmt::format("Noise check{}: changes of {} cases scatter {}{} (λ = {} [{}, {}]).",
                  check.metric.empty() ? "" : " of " + check.metric, check.cases, found,
                  fit_text(check.fit), number(check.lambda), number(check.low), number(check.high));
  if (!fits(check))
    return text +
           " Unless many cases did change, this run is noisier than we assume: believe single "
           "changes only where pairs confirm them.";
  return text + (is_quiet
                     ? " Intervals are wider than needed: changes are missed rather than invented."
                     : "");
}

}  // namespace plumbline
