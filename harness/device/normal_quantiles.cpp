#include "device/normal_quantiles.h"

#include <cmath>
#include <cstddef>

namespace plumbline {
namespace {

/// Gives the outermost cell the second moment of the tail: 1 + a phi(a) / Q(a), a = 3.097.
constexpr double kOutermost = 3.66;

/// Bisects the distribution function, which is monotone.
double quantile(double probability) {
  double low = -kOutermost;
  double high = kOutermost;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

const std::array<float, kNormalCells + 1>& normal_quantiles() {
  static const auto kQuantiles = [] {
    std::array<float, kNormalCells + 1> quantiles{};
    for (std::size_t i = 0; i < quantiles.size(); ++i)
      quantiles[i] = static_cast<float>(quantile(double(i) / kNormalCells));
    return quantiles;
  }();
  return kQuantiles;
}

}  // namespace plumbline
