#include "measure/serving.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/scripted_device.h"

namespace plumbline {
namespace {

/// Ends of requests that each take `service_s`, in order.
std::vector<double> ends_of(const std::vector<double>& arrivals, double service_s) {
  std::vector<double> ends;
  for (const double arrival : arrivals)
    ends.push_back(std::max(arrival, ends.empty() ? 0 : ends.back()) + service_s);
  return ends;
}

TEST(Serving, ArrivalsHaveTheRateAndExponentialGaps) {
  const Serving serving{.requests = 100000, .rate = 50};
  const std::vector<double> times = arrival_times(serving, 7);
  EXPECT_NEAR(times.back(), 100000 / 50.0, 20);  // three standard errors
  double longer = 0;                             // gaps longer than the mean: 1 / e of them
  for (std::size_t i = 1; i < times.size(); ++i) longer += times[i] - times[i - 1] > 1 / 50.0;
  EXPECT_NEAR(longer / 1e5, std::exp(-1), 0.005);
  EXPECT_EQ(times, arrival_times(serving, 7));
  EXPECT_NE(times, arrival_times(serving, 8));
}

TEST(Serving, PercentilesAreThoseOfTheNearestRank) {
  const Serving serving{.requests = 1000, .items = 4};
  std::vector<double> arrivals(1000), ends(1000);
  for (int i = 0; i < 1000; ++i) {  // latencies of 1 to 1000 ms, shuffled
    arrivals[std::size_t(i)] = i;
    ends[std::size_t(i)] = i + 1e-3 * (1 + (i * 7) % 1000);
  }
  const Served served = summary(serving, arrivals, ends);
  EXPECT_NEAR(served.values.at("latency_p50"), 0.5, 1e-9);
  EXPECT_NEAR(served.values.at("latency_p90"), 0.9, 1e-9);
  EXPECT_NEAR(served.values.at("latency_p99"), 0.99, 1e-9);
  EXPECT_NEAR(served.values.at("latency_p999"), 0.999, 1e-9);
  EXPECT_NEAR(served.values.at("throughput"), 4000 / ends.back(), 1e-9);
}

TEST(Serving, TheRankIsNotMovedByRounding) {
  std::vector<double> arrivals(110), ends(110);
  for (int i = 0; i < 110; ++i) ends[std::size_t(i)] = i + 1;
  EXPECT_EQ(summary({.requests = 110}, arrivals, ends).values.at("latency_p90"), 99);
}

TEST(Serving, LatencyCountsFromTheArrivalAndNotFromTheTurn) {
  // One stall of half a second delays all requests that come meanwhile.
  std::vector<double> arrivals(1000);
  for (int i = 0; i < 1000; ++i) arrivals[std::size_t(i)] = 0.01 * i;
  std::vector<double> ends;
  for (int i = 0; i < 1000; ++i)
    ends.push_back(std::max(arrivals[std::size_t(i)], i == 0 ? 0 : ends.back()) +
                   (i == 500 ? 0.5 : 0.005));
  const Served served = summary({.requests = 1000, .rate = 100}, arrivals, ends);
  EXPECT_NEAR(served.values.at("latency_p50"), 0.005, 1e-9);
  EXPECT_GT(served.values.at("latency_p99"), 0.4);
}

TEST(Serving, MeanWaitIsThatOfAQueueWithOneServer) {
  // M/D/1 (Pollaczek 1930, Khinchine 1932): the mean wait is rho / (2 (1 - rho)) services.
  const Serving serving{.requests = 200000, .rate = 70};
  const std::vector<double> arrivals = arrival_times(serving, 1);
  const std::vector<double> ends = ends_of(arrivals, 0.01);
  double wait = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) wait += ends[i] - arrivals[i] - 0.01;
  EXPECT_NEAR(wait / 200000, 0.01 * 0.7 / (2 * 0.3), 5e-4);
}

TEST(Serving, AQueueThatGrowsHasNoLatencies) {
  const Serving serving{.requests = 2000, .rate = 110};
  const std::vector<double> arrivals = arrival_times(serving, 1);
  const Served served = summary(serving, arrivals, ends_of(arrivals, 0.01));
  EXPECT_EQ(served.values.size(), 1u);
  EXPECT_NEAR(served.values.at("throughput"), 100, 1);
  EXPECT_EQ(served.absent.at("latency_p50"),
            "requests come at 110 a second, and 99.8 were served: the queue grows, and latencies "
            "with it")
      << "they begin to be served with the first arrival";
  const Serving slower{.requests = 2000, .rate = 90};
  const std::vector<double> fewer = arrival_times(slower, 1);
  EXPECT_EQ(summary(slower, fewer, ends_of(fewer, 0.01)).absent.size(), 0u);
}

TEST(Serving, FewRequestsHaveNoRarePercentile) {
  std::vector<double> arrivals(100), ends(100);
  std::iota(arrivals.begin(), arrivals.end(), 0);
  std::iota(ends.begin(), ends.end(), 1);
  const Served served = summary({.requests = 100}, arrivals, ends);
  EXPECT_EQ(served.absent.at("latency_p999"), "it takes at least 1000 requests");
  EXPECT_EQ(served.values.count("latency_p99"), 1u);
}

TEST(Serving, InAClosedLoopEachRequestComesWhenTheOneBeforeIsDone) {
  ScriptedDevice device;  // a millisecond a block
  device.tick_s = 1e-3;
  device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-3, plan); };
  int launches = 0;
  const Served served = serve(
      device, [&] { ++launches; }, {.requests = 100}, 1);
  EXPECT_EQ(launches, 101) << "the first is not counted";
  EXPECT_NEAR(served.values.at("latency_p50"), 1e-3, 1e-9);
  EXPECT_NEAR(served.values.at("throughput"), 1000, 1e-6);
}

}  // namespace
}  // namespace plumbline
