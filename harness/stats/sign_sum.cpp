#include "stats/sign_sum.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "stats/student_t.h"

namespace plumbline {
namespace {

/// Cumulants of the sum, tilted by exp(t × sum): of a single sign K(t) = log cosh(t × size).
struct Cumulants {
  double value = 0, first = 0, second = 0, third = 0, fourth = 0;
};

Cumulants cumulants_at(double t, std::span<const double> sizes) {
  Cumulants sum;
  for (const double size : sizes) {
    const double x = t * size, e = std::exp(-2 * x);  // x ≥ 0
    const double tanh = (1 - e) / (1 + e), slope = 1 - tanh * tanh, square = size * size;
    sum.value += x + std::log1p(e) - std::numbers::ln2;
    sum.first += size * tanh;
    sum.second += square * slope;
    sum.third -= 2 * square * size * tanh * slope;
    sum.fourth += square * square * slope * (6 * tanh * tanh - 2);
  }
  return sum;
}

/// t with K'(t) = sum: Newton's steps, kept between bounds that close in. 0 < sum < Σ sizes.
double saddlepoint(std::span<const double> sizes, double sum) {
  constexpr int kMostSteps = 100;
  double low = 0, high = INFINITY, t = 0;
  for (int step = 0; step < kMostSteps; ++step) {
    const Cumulants at = cumulants_at(t, sizes);
    (at.first < sum ? low : high) = t;
    double next = t + (sum - at.first) / at.second;
    if (!(next > low && next < high))
      next = std::isinf(high) ? 2 * t + 1 : std::midpoint(low, high);
    if (std::abs(next - t) <= 1e-12 * next) return next;
    t = next;
  }
  return t;
}

}  // namespace

SignSum sign_sum_tails(std::span<const double> sizes, double sum) {
  const double largest = std::ranges::max(sizes);
  std::vector<double> scaled;  // so that t is near 1 at most
  for (const double size : sizes) scaled.push_back(size / largest);
  const double target = std::abs(sum) / largest;
  const double all = std::accumulate(scaled.begin(), scaled.end(), 0.0);
  SignSum found;
  double far = 0;                       // P(Σ ± sizes ≥ |sum|)
  constexpr double kNearMiddle = 1e-3;  // in standard deviations: there both forms agree
  const Cumulants untilted = cumulants_at(0, scaled);
  const double sd = std::sqrt(untilted.second);
  if (target >= all * (1 - 1e-15)) {
    far = std::exp2(-double(sizes.size()));
  } else if (target < kNearMiddle * sd) {
    far = normal_cdf(-target / sd);
    found.relative_error = std::abs(untilted.fourth) / (8 * std::pow(sd, 4));
  } else {
    const double t = saddlepoint(scaled, target);
    const Cumulants at = cumulants_at(t, scaled);
    const double w = std::sqrt(2 * std::max(0.0, t * target - at.value)),
                 u = t * std::sqrt(at.second);
    const double density = std::exp(-w * w / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    far = std::clamp(normal_cdf(-w) + density * (1 / u - 1 / w), 0.0, 1.0);
    const double skew = at.third / std::pow(at.second, 1.5);
    found.relative_error = std::abs(at.fourth / (8 * at.second * at.second) - 5 * skew * skew / 24);
  }
  found.tails = sum >= 0 ? Tails{1 - far, far} : Tails{far, 1 - far};
  return found;
}

}  // namespace plumbline
