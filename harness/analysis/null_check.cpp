#include "analysis/null_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/comparison.h"
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

/// λ where the median p value is `p`, in [0, 1].
double lambda_of(double p) {
  if (p >= 1) return 0;
  constexpr double kSmallest = 1e-300;
  const double z = normal_quantile(std::max(p, kSmallest) / 2);
  return z * z / kMedianOfSquares;
}

std::string number(double value) { return fmt::format("{:.2f}", value); }

}  // namespace

std::optional<NullCheck> null_check(std::span<const Finding> findings) {
  std::vector<double> p_values;
  const Finding* last = nullptr;  // that was taken
  for (const Finding& finding : findings) {
    if (!finding.p_value || finding.unit != "s") continue;
    if (last && last->case_id == finding.case_id && last->suite == finding.suite) continue;
    last = &finding;
    p_values.push_back(*finding.p_value);
  }
  if (p_values.size() < kCasesNeeded) return std::nullopt;
  const Interval middle = quantile_interval(p_values, 0.5, kConfidence).interval;
  return NullCheck{lambda_of(middle.center), lambda_of(middle.high), lambda_of(middle.low),
                   p_values.size()};
}

std::string null_check_text(const NullCheck& check) {
  std::string text =
      fmt::format("Null check: λ = {} [{}, {}] over {} cases: ", number(check.lambda),
                  number(check.low), number(check.high), check.cases);
  const std::string times = number(std::sqrt(check.lambda));
  if (check.low > kFits)
    return text + fmt::format(
                      "changes scatter {} times as much as the noise model says; unless many cases "
                      "did change, the whole run is noisier than the model, and single changes are "
                      "to be believed from pairs alone.",
                      times);
  if (check.high < 1 / kFits)
    return text + fmt::format(
                      "changes scatter {} times as much as the noise model says; it is wider than "
                      "this run needs, so that changes are missed rather than invented.",
                      times);
  return text + "changes scatter as the noise model says.";
}

}  // namespace plumbline
