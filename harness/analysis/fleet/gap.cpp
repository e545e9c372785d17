#include "analysis/fleet/gap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"
#include "stats/descriptive.h"
#include "stats/random_draws.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostValues = 64, kTrials = 20'000;

double middle(std::span<const double> sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/// Sum of squares within a group, by its median absolute deviation. The group is sorted, so both
/// sides of its median are sorted distances, and the middle one of all is found by merging them.
double squares_within(std::span<const double> sorted) {
  const double center = middle(sorted);
  std::size_t low = 0, high = sorted.size();
  const std::size_t keep = sorted.size() / 2 + 1;  // the nearest half, and one more
  while (high - low > keep)
    if (center - sorted[low] > sorted[high - 1] - center)
      ++low;
    else
      --high;
  const double mad = std::max(center - sorted[low], sorted[high - 1] - center);
  return std::pow(kSdPerMad * mad, 2) * double(sorted.size() - 1);
}

/// Student's t with 4 degrees of freedom by its quantile function (Shaw 2006).
double draw_t4(RandomDraws& draws) {
  const double u = (double(draws.bits() >> 11) + 0.5) * 0x1p-53;
  const double root = std::sqrt(4 * u * (1 - u));
  const double size = 2 * std::sqrt(std::cos(std::acos(root) / 3) / root - 1);
  return u < 0.5 ? -size : size;
}

}  // namespace

Gap widest_gap(std::span<const double> sorted, std::size_t least) {
  Gap best;
  least = std::max<std::size_t>(least, 2);
  if (sorted.size() < 2 * least) return best;
  std::vector<std::size_t> places;
  for (std::size_t at = least; at + least <= sorted.size(); ++at) places.push_back(at);
  // The spread is only computed for the widest gaps: in large samples, all others are far narrower.
  constexpr std::size_t kTried = 16;
  const std::size_t tried = std::min(kTried, places.size());
  std::ranges::partial_sort(places, places.begin() + std::ptrdiff_t(tried), std::ranges::greater{},
                            [&](std::size_t at) { return sorted[at] - sorted[at - 1]; });
  places.resize(tried);
  for (const std::size_t at : places) {
    const double squares = squares_within(sorted.first(at)) + squares_within(sorted.subspan(at));
    const double sd = std::sqrt(squares / double(sorted.size() - 2));
    const double width = sorted[at] - sorted[at - 1];
    const double ratio = sd > 0      ? width / sd
                         : width > 0 ? std::numeric_limits<double>::infinity()
                                     : 0;
    if (ratio > best.ratio) best = {at, sorted[at - 1], sorted[at], ratio};
  }
  return best;
}

double gap_threshold(std::size_t count, std::size_t least, double level) {
  if (!(level >= 1e-4 && level < 1)) throw Error("gap_threshold: the level lies in [1e-4, 1)");
  if (count > kMostValues) {
    least = std::max<std::size_t>(2, least * kMostValues / count);
    count = kMostValues;
  }
  RandomDraws draws(1);
  std::vector<double> ratios(kTrials), values(count);
  for (double& ratio : ratios) {
    for (double& value : values) value = draw_t4(draws);
    std::ranges::sort(values);
    ratio = widest_gap(values, least).ratio;
  }
  return quantile(ratios, 1 - level);
}

}  // namespace plumbline
