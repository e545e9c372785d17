#include "analysis/variance/noise_fit.h"

#include <algorithm>
#include <cmath>

#include "stats/descriptive.h"
#include "stats/order_interval.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

constexpr double kConfidence = 0.98;
/// The model fits if median z² / its expected value lies between 1 / kFits and kFits.
constexpr double kFits = 1.1;

/// Deviates on each side of zero: fewer than kSideNeeded do not show their scatter. The share
/// kNearest of them that is nearest to zero is used.
constexpr std::size_t kSideNeeded = 40;
constexpr double kNearest = 1.0 / 3;

constexpr std::size_t kCasesNeeded = 12;
constexpr double kMost = 2.0 / 3, kNearlyAll = 0.9;
/// The rule's difference between whole runs is refuted if at most this share of it stands.
constexpr double kWellBelow = 0.5;

/// Quantile of |z| for a normal deviate z.
double size_at(double probability) { return normal_quantile((1 + probability) / 2); }

/// Excess scatter of the deviates on one side of zero; 1 if they may fit the model.
double excess_of_side(const std::vector<double>& sizes) {
  if (sizes.size() < kSideNeeded) return 1;
  const double expected = size_at(kNearest);
  const Interval found = quantile_interval(sizes, kNearest, kConfidence).interval;
  return found.low / expected > std::sqrt(kFits) ? found.center / expected : 1;
}

bool is_refuted(const std::vector<double>& sizes) {
  return quantile_interval(sizes, kMost, kConfidence).interval.high < size_at(kMost) &&
         quantile(sizes, kNearlyAll) < size_at(kNearlyAll);
}

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

double share_of_runs(std::size_t cases,
                     const std::function<std::vector<double>(double share)>& sizes_at) {
  if (cases < kCasesNeeded || !is_refuted(sizes_at(kWellBelow))) return 1;
  double refuted = kWellBelow, stands = 0;
  constexpr int kHalvings = 10;
  for (int i = 0; i < kHalvings; ++i) {
    const double share = (refuted + stands) / 2;
    (is_refuted(sizes_at(share)) ? refuted : stands) = share;
  }
  return refuted;
}

}  // namespace plumbline
