#include "device/calibration.h"

#include <algorithm>

namespace plumbline {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kLeastBytes = 1024 * kMiB, kMostBytes = 4096 * kMiB;
constexpr std::size_t kCachesMoved = 16;
constexpr std::size_t kFinalists = 3;

double median_of(std::vector<double> readings) {
  if (readings.empty()) return 0;
  std::ranges::sort(readings);
  const std::size_t half = readings.size() / 2;
  return readings.size() % 2 == 1 ? readings[half] : (readings[half - 1] + readings[half]) / 2;
}

}  // namespace

void Calibration::add(const std::string& name, double value, double uncertainty) {
  values[name] = value;
  values[name + "_uncertainty"] = uncertainty;
}

void Calibration::add(const std::string& name, std::vector<double> readings) {
  if (readings.empty()) {
    absent[name] = "it gave no reading";
    return;
  }
  const auto [least, most] = std::ranges::minmax(readings);
  add(name, median_of(std::move(readings)), (most - least) / 2);
}

std::vector<std::size_t> copy_sizes(std::size_t free_bytes, std::size_t l2_bytes) {
  std::vector<std::size_t> sizes{std::max(kLeastBytes, kCachesMoved * l2_bytes / kMiB * kMiB)};
  const std::size_t largest = std::min(kMostBytes, free_bytes / 2 / 2 / kMiB * kMiB);
  if (largest > sizes.front()) sizes.push_back(largest);
  return sizes;
}

FastestWay fastest_way(
    std::size_t ways, const std::vector<std::size_t>& sizes,
    const std::function<std::vector<double>(std::size_t way, std::size_t bytes)>& rates) {
  std::vector<FastestWay> found;
  for (std::size_t way = 0; way < ways; ++way)
    found.push_back({way, sizes.front(), median_of(rates(way, sizes.front()))});
  std::ranges::stable_sort(found, std::greater(), &FastestWay::rate);
  const std::vector<FastestWay> finalists(found.begin(),
                                          found.begin() + long(std::min(ways, kFinalists)));
  for (std::size_t i = 1; i < sizes.size(); ++i)
    for (const FastestWay& way : finalists)
      found.push_back({way.way, sizes[i], median_of(rates(way.way, sizes[i]))});
  const auto best = std::ranges::max_element(found, {}, &FastestWay::rate);
  return best == found.end() || !(best->rate > 0) ? FastestWay{} : *best;
}

}  // namespace plumbline
