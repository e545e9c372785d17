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

constexpr std::size_t kCasesNeeded = 12;
constexpr double kConfidence = 0.98;
/// Median of z², χ² with one degree of freedom.
constexpr double kMedianOfSquares = 0.4549364231195724;
/// The model fits where λ may lie between 1 / this and this.
constexpr double kFits = 1.1;

/// Of the deviates on either side of zero: fewer do not show what they scatter by, and this share
/// of them, those nearest to it, does.
constexpr std::size_t kSideNeeded = 40;
constexpr double kNearest = 1.0 / 3;

/// λ where the median p value is `p`, in [0, 1].
double lambda_of(double p) {
  const double z = deviate_of(p);
  return z * z / kMedianOfSquares;
}

/// Of the sizes of deviates on one side of zero; 1 where they may be as the model says.
double excess_of_side(const std::vector<double>& sizes) {
  if (sizes.size() < kSideNeeded) return 1;
  const double expected = normal_quantile((1 + kNearest) / 2);
  const Interval found = quantile_interval(sizes, kNearest, kConfidence).interval;
  return found.low / expected > std::sqrt(kFits) ? found.center / expected : 1;
}

std::string number(double value) { return fmt::format("{:.2f}", value); }

}  // namespace

double deviate_of(double p) {
  if (p >= 1) return 0;
  constexpr double kSmallest = 1e-300;
  return std::abs(normal_quantile(std::max(p, kSmallest) / 2));
}

double excess_scatter(std::span<const double> deviates) {
  std::vector<double> above, below;
  for (const double z : deviates) (z > 0 ? above : below).push_back(std::abs(z));
  return std::min(excess_of_side(above), excess_of_side(below));
}

std::optional<NullCheck> null_check(std::span<const Finding> findings, const Widening& widening) {
  std::map<std::string_view, std::vector<double>> p_values;  // by metric
  for (const Finding& finding : findings)
    if (finding.p_value && finding.unit == "s")
      p_values[finding.metric].push_back(*finding.p_value);
  std::optional<NullCheck> worst;
  for (const auto& [metric, of_cases] : p_values) {
    if (of_cases.size() < kCasesNeeded) continue;
    const Interval middle = quantile_interval(of_cases, 0.5, kConfidence).interval;
    const double lambda = lambda_of(middle.center);
    if (worst && worst->lambda >= lambda) continue;
    const auto widened = widening.find(std::string(metric));
    worst = {std::string(metric),    lambda,
             lambda_of(middle.high), lambda_of(middle.low),
             of_cases.size(),        widened == widening.end() ? 1 : widened->second};
  }
  return worst;
}

std::string null_check_text(const NullCheck& check) {
  const std::string widened =
      check.widened > 1
          ? fmt::format(
                "errors are {} times what the noise model says, since changes scatter by "
                "that much on both sides; with them ",
                number(check.widened))
          : "";
  std::string text =
      fmt::format("Null check{}: {}λ = {} [{}, {}] over {} cases: ",
                  check.metric.empty() ? "" : " of " + check.metric, widened, number(check.lambda),
                  number(check.low), number(check.high), check.cases);
  const std::string times = number(std::sqrt(check.lambda));
  const char* const whose = widened.empty() ? "the noise model says" : "they say";
  if (check.low > kFits)
    return text + fmt::format(
                      "changes scatter {} times as much as {}; unless many cases did change, the "
                      "whole run is noisier than the model, and single changes are to be believed "
                      "from pairs alone.",
                      times, whose);
  if (check.high < 1 / kFits)
    return text + fmt::format(
                      "changes scatter {} times as much as {}; it is wider than this run needs, so "
                      "that changes are missed rather than invented.",
                      times, whose);
  return text + fmt::format("changes scatter as {}.", whose);
}

}  // namespace plumbline
