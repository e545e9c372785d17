#include "stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/error.h"
#include "stats/beyond_double.h"
#include "stats/descriptive.h"
#include "stats/order_interval.h"
#include "stats/random_draws.h"

namespace plumbline {
namespace {

/// Summed plainly, as other programs do: which resamples tie with the estimate hangs on it.
double average(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double center_of(Center of, std::span<const double> values) {
  return of == Center::mean ? average(values) : median(values);
}

/// Resamples of one list, in a buffer of its own.
class Resampled {
 public:
  Resampled(std::span<const double> values, Center of)
      : values_(values), of_(of), drawn_(values.size()) {}
  double estimate() const { return center_of(of_, values_); }
  double draw(RandomDraws& draws) {
    for (double& value : drawn_) value = values_[draws.below(values_.size())];
    return center_of(of_, drawn_);
  }
  /// Estimates without one value, for each of them, in no order.
  std::vector<double> jackknife() const {
    std::vector<double> sorted(values_.begin(), values_.end());
    std::ranges::sort(sorted);
    const double center = average(sorted);
    const std::size_t rest = sorted.size() - 1;
    std::vector<double> estimates(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const auto kept = [&](std::size_t k) { return sorted[k < i ? k : k + 1]; };
      estimates[i] = of_ == Center::mean ? center + (center - sorted[i]) / static_cast<double>(rest)
                     : rest % 2 == 1     ? kept(rest / 2)
                                         : std::midpoint(kept(rest / 2 - 1), kept(rest / 2));
    }
    return estimates;
  }

 private:
  std::span<const double> values_;
  Center of_;
  std::vector<double> drawn_;
};

/// Adds a list's share to the third and the second moment of the influence of single values.
void add_influence(const std::vector<double>& jackknife, double& cubes, double& squares) {
  const double center = average(jackknife);
  const auto n = static_cast<double>(jackknife.size());
  for (const double estimate : jackknife) {
    const double influence = (n - 1) * (center - estimate) / n;
    cubes += influence * influence * influence;
    squares += influence * influence;
  }
}

/// Share of `drawn` below the estimate, equal ones counted half.
double share_below(const std::vector<double>& drawn, double estimate) {
  const auto below = std::ranges::count_if(drawn, [&](double d) { return d < estimate; });
  const auto up_to = std::ranges::count_if(drawn, [&](double d) { return d <= estimate; });
  return static_cast<double>(below + up_to) / (2 * static_cast<double>(drawn.size()));
}

/// The probability of the bootstrap distribution that stands for the normal quantile z.
double bca_probability(double z, double bias, double acceleration) {
  return normal_cdf(bias + (bias + z) / (1 - acceleration * (bias + z)));
}

/// The ends' probabilities.
std::pair<double, double> ends(const std::vector<double>& drawn, double estimate, double cubes,
                               double squares, const BootstrapPlan& plan) {
  const double risk = (1 - plan.confidence) / 2;
  if (plan.kind == BootstrapKind::percentile) return {risk, 1 - risk};
  const double below = share_below(drawn, estimate);
  if (below == 0 || below == 1)
    throw Error(
        "bootstrap: all resamples lie on one side of the estimate, where BCa is not "
        "defined; use percentile");
  const double bias = normal_quantile(below), z = normal_quantile(risk);
  const double acceleration = squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
  if (!std::isfinite(acceleration))
    throw BeyondDouble("bootstrap: squares and cubes of the values are beyond double precision");
  return {bca_probability(z, bias, acceleration), bca_probability(-z, bias, acceleration)};
}

/// Of `b`'s estimate, less `a`'s where there is an `a`.
Bootstrap bootstrapped(Resampled* a, Resampled& b, const BootstrapPlan& plan) {
  require_confidence(plan.confidence);
  if (plan.resamples < 2) throw Error("bootstrap: needs at least 2 resamples");
  RandomDraws draws(plan.seed);
  std::vector<double> drawn(plan.resamples);
  for (double& value : drawn) {
    const double of_a = a ? a->draw(draws) : 0;
    value = b.draw(draws) - of_a;
  }
  double cubes = 0, squares = 0;
  if (plan.kind == BootstrapKind::bca) {
    if (a) {
      std::vector<double> without = a->jackknife();
      for (double& value : without) value = -value;
      add_influence(without, cubes, squares);
    }
    add_influence(b.jackknife(), cubes, squares);
  }
  Bootstrap result;
  const double estimate = b.estimate() - (a ? a->estimate() : 0);
  result.standard_error = standard_deviation(drawn);
  const auto [low, high] = ends(drawn, estimate, cubes, squares, plan);
  result.interval = {estimate, quantile(drawn, low), quantile(drawn, high)};
  return result;
}

}  // namespace

Bootstrap bootstrap(std::span<const double> values, const BootstrapPlan& plan) {
  require_finite(values, 2, "bootstrap");
  Resampled all(values, plan.of);
  return bootstrapped(nullptr, all, plan);
}

Bootstrap bootstrap_shift(std::span<const double> a, std::span<const double> b,
                          const BootstrapPlan& plan) {
  require_finite(a, 2, "bootstrap, first list");
  require_finite(b, 2, "bootstrap, second list");
  Resampled first(a, plan.of), second(b, plan.of);
  return bootstrapped(&first, second, plan);
}

}  // namespace plumbline
