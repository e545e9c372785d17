#include "measure/serving.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "core/value.h"
#include "device/random.h"

namespace plumbline {
namespace {

struct Percentile {
  const char* metric;
  double share;
  int fewest;
};
constexpr std::array kPercentiles = std::to_array<Percentile>({
    {"latency_p50", 0.5, kFewestRequests},
    {"latency_p90", 0.9, kFewestRequests},
    {"latency_p99", 0.99, kFewestRequests},
    {"latency_p999", 0.999, kRequestsOfP999},
});

/// 0.9 * 110 is a little more than 99 in floating point.
constexpr double kRounding = 1e-6;

/// A queue that holds its length ends soon after the last arrival.
constexpr double kLongestRest = 0.05;  // of the whole time

std::string in_words(double per_second) { return shortest_text(std::round(per_second * 10) / 10); }

/// Sleeping ends late by up to this.
constexpr double kLate_s = 2e-4;

void wait_until(const Device& device, double time_s) {
  for (double now = device.now_s(); now < time_s; now = device.now_s())
    if (const double rest = time_s - now - kLate_s; rest > 0)
      std::this_thread::sleep_for(std::chrono::duration<double>(rest));
}

}  // namespace

std::vector<double> arrival_times(const Serving& serving, std::uint64_t seed) {
  std::vector<double> times;
  double time = 0;
  for (int i = 0; i < serving.requests; ++i) {
    time -= std::log1p(-random_unit(random_bits(seed, std::uint64_t(i)))) / serving.rate;
    times.push_back(time);
  }
  return times;
}

Served summary(const Serving& serving, std::span<const double> arrivals,
               std::span<const double> ends) {
  Served served;
  const double whole = ends.back();
  const auto count = double(ends.size());
  served.values["throughput"] = count * serving.items / whole;
  const bool is_overloaded =
      serving.rate > 0 && whole - arrivals.back() > std::max(kLongestRest, 10 / count) * whole;
  std::vector<double> latencies;
  for (std::size_t i = 0; i < ends.size(); ++i) latencies.push_back(ends[i] - arrivals[i]);
  std::ranges::sort(latencies);
  for (const auto& [metric, share, fewest] : kPercentiles) {
    if (is_overloaded)
      served.absent[metric] = "requests come at " + in_words(serving.rate) + " a second, and " +
                              in_words(count / whole) +
                              " were served: the queue grows, and latencies with it";
    else if (serving.requests < fewest)
      served.absent[metric] = "it takes at least " + std::to_string(fewest) + " requests";
    else
      served.values[metric] = latencies[std::size_t(std::ceil(share * count - kRounding)) - 1];
  }
  return served;
}

Served serve(Device& device, const Launch& launch, const Serving& serving, std::uint64_t seed) {
  const BlockPlan one{.timer = Timer::host_clock, .samples = 1};
  device.time_block(launch, one);
  std::vector<double> arrivals;
  if (serving.rate > 0) arrivals = arrival_times(serving, seed);
  const bool is_open = !arrivals.empty();
  std::vector<double> ends;
  const double begin_s = device.now_s();
  for (int i = 0; i < serving.requests; ++i) {
    if (is_open)
      wait_until(device, begin_s + arrivals[std::size_t(i)]);
    else
      arrivals.push_back(device.now_s() - begin_s);
    device.time_block(launch, one);
    ends.push_back(device.now_s() - begin_s);
  }
  return summary(serving, arrivals, ends);
}

}  // namespace plumbline
