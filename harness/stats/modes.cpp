#include "stats/modes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.h"
#include "stats/beyond_double.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr double kStep = 0.1, kReach = 6;  // in bandwidths; the kernel is 1e-8 at its reach
constexpr std::ptrdiff_t kLeastModeCount = 2;

double silverman_bandwidth(std::span<const double> values) {
  const double sd = standard_deviation(values);
  const double iqr = quantile(values, 0.75) - quantile(values, 0.25);
  const double spread = iqr > 0 ? std::min(sd, iqr / 1.34) : sd;
  return 0.9 * spread * std::pow(static_cast<double>(values.size()), -0.2);
}

struct Point {
  double x, height;  // the logarithm of the density: far from all values it is no number else
};

/// The density of sorted values, up to a constant factor, wherever a value is within reach, and in
/// the middle of wider gaps.
std::vector<Point> density_of(const std::vector<double>& sorted, double bandwidth) {
  const double reach = kReach * bandwidth;
  std::vector<Point> points;
  std::size_t first = 0;  // the first value within reach of x
  for (double x = sorted.front() - reach; first < sorted.size(); x += kStep * bandwidth) {
    if (first > 0 && sorted[first] - reach > x) {
      const double half = (sorted[first] - sorted[first - 1]) / 2, z = half / bandwidth;
      points.push_back({sorted[first] - half, -z * z / 2});
    }
    x = std::max(x, sorted[first] - reach);
    double sum = 0;
    for (std::size_t i = first; i < sorted.size() && sorted[i] <= x + reach; ++i) {
      const double z = (sorted[i] - x) / bandwidth;
      sum += std::exp(-z * z / 2);
    }
    points.push_back({x, std::log(sum)});
    while (first < sorted.size() && sorted[first] < x - reach) ++first;
  }
  return points;
}

/// A maximum of the density, and the lowest point between it and the one before.
struct Bump {
  Point top, valley;
};

std::vector<Bump> bumps_of(const std::vector<Point>& points) {
  std::vector<Bump> bumps;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Point valley{-kInfinity, -kInfinity};  // deeper than any
  bool is_rising = true;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const bool rises = points[i].height > points[i - 1].height;
    const bool falls = points[i].height < points[i - 1].height;
    if (is_rising && falls) bumps.push_back({points[i - 1], valley});
    if (!is_rising && rises) valley = points[i - 1];
    if (rises || falls) is_rising = rises;
  }
  return bumps;
}

/// Its values join the neighbour behind the higher valley.
void remove(std::vector<Bump>& bumps, std::size_t i) {
  if (i + 1 < bumps.size() && bumps[i].valley.height < bumps[i + 1].valley.height)
    bumps[i + 1].valley = bumps[i].valley;
  bumps.erase(bumps.begin() + static_cast<std::ptrdiff_t>(i));
}

/// Takes away bumps that no valley parts from a higher neighbour, the flattest valley first.
void remove_shallow(std::vector<Bump>& bumps) {
  for (;;) {
    std::size_t lower = 0;
    double flattest = kDeepestValley;
    for (std::size_t i = 1; i < bumps.size(); ++i) {
      const bool is_left = bumps[i - 1].top.height < bumps[i].top.height;
      const double depth = std::exp(bumps[i].valley.height - bumps[is_left ? i - 1 : i].top.height);
      if (depth <= flattest) continue;
      flattest = depth;
      lower = is_left ? i - 1 : i;
    }
    if (flattest <= kDeepestValley) return;
    remove(bumps, lower);
  }
}

std::vector<std::ptrdiff_t> counts_of(const std::vector<Bump>& bumps,
                                      const std::vector<double>& sorted) {
  std::vector<std::ptrdiff_t> counts;
  for (std::size_t i = 0; i < bumps.size(); ++i) {
    const auto begin = std::ranges::lower_bound(sorted, bumps[i].valley.x);
    const auto end = i + 1 < bumps.size() ? std::ranges::lower_bound(sorted, bumps[i + 1].valley.x)
                                          : sorted.end();
    counts.push_back(end - begin);
  }
  return counts;
}

/// The bump with the fewest values; of several that with the highest valley beside it.
std::size_t least_of(const std::vector<Bump>& bumps, const std::vector<std::ptrdiff_t>& counts) {
  const auto valley = [&](std::size_t i) {
    const double left = bumps[i].valley.height;
    return i + 1 < bumps.size() ? std::max(left, bumps[i + 1].valley.height) : left;
  };
  std::size_t least = 0;
  for (std::size_t i = 1; i < counts.size(); ++i)
    if (counts[i] < counts[least] || (counts[i] == counts[least] && valley(i) > valley(least)))
      least = i;
  return least;
}

}  // namespace

Modes find_modes(std::span<const double> values, double bandwidth) {
  require_finite(values, 2, "modes");
  if (!(bandwidth >= 0) || !std::isfinite(bandwidth))
    throw Error("modes: bandwidth " + std::to_string(bandwidth) + " is not a number above 0");
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  Modes result;
  result.bandwidth = bandwidth > 0 ? bandwidth : silverman_bandwidth(sorted);
  if (sorted.front() == sorted.back()) {
    result.modes = {{sorted.front(), 1}};
    return result;
  }
  const double reach = kReach * result.bandwidth;
  if (!std::isfinite(sorted.front() - reach) || !std::isfinite(sorted.back() + reach) ||
      !std::isfinite(sorted.back() - sorted.front()))
    throw BeyondDouble("modes: the values lie too far apart for numbers of double precision");
  // A step that is lost in the values' own digits would never get anywhere.
  const double magnitude = std::max(std::abs(sorted.front()), std::abs(sorted.back()));
  if (magnitude + kStep * result.bandwidth == magnitude)
    throw Error("modes: the bandwidth is below the precision of the values");
  std::vector<Bump> bumps = bumps_of(density_of(sorted, result.bandwidth));
  remove_shallow(bumps);
  const auto n = static_cast<double>(sorted.size());
  std::vector<std::ptrdiff_t> counts = counts_of(bumps, sorted);
  while (bumps.size() > 1) {
    const std::size_t least = least_of(bumps, counts);
    if (counts[least] >= kLeastModeCount && double(counts[least]) >= kLeastModeShare * n) break;
    remove(bumps, least);
    counts = counts_of(bumps, sorted);
  }
  for (std::size_t i = 0; i < bumps.size(); ++i)
    result.modes.push_back({bumps[i].top.x, static_cast<double>(counts[i]) / n});
  return result;
}

}  // namespace plumbline
