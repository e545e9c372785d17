#include "stats/harrell_davis.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "stats/descriptive.h"

namespace plumbline {

double harrell_davis(std::span<const double> values, double probability) {
  require_finite(values, 1, "harrell_davis");
  if (!(probability > 0 && probability < 1))
    throw Error("harrell_davis: probability " + std::to_string(probability) + " is outside (0, 1)");
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto n = static_cast<double>(sorted.size());
  double sum = 0, before = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double up_to = boost::math::ibeta((n + 1) * probability, (n + 1) * (1 - probability),
                                            static_cast<double>(i + 1) / n);
    sum += (up_to - before) * sorted[i];
    before = up_to;
  }
  // The weights sum to 1 but for rounding, which may not lead out of what was measured.
  return std::clamp(sum, sorted.front(), sorted.back());
}

}  // namespace plumbline
