#include "worker/subjects/memory_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "measure/flags.h"
#include "support/scripted_device.h"

namespace plumbline {
namespace {

constexpr double kMiB = 1 << 20;

/// A case whose launch makes a result and a temporary, with an allocator that counts them.
struct ScriptedCase {
  ScriptedDevice device;
  AllocatorStats stats{.allocated_bytes = 100 * kMiB, .reserved_bytes = 120 * kMiB};
  double result_bytes = 4 * kMiB, temporary_bytes = 2 * kMiB, workspace_bytes = 32 * kMiB;
  double cached_bytes = 500 * kMiB;  // of earlier cases
  double leak_bytes = 0;             // of tensors, every leak_every launches
  double raw_leak_bytes = 0;         // outside the allocator
  int leak_every = 1, launches = 0;
  bool asks_device = false;         // every launch calls cudaMalloc
  double other_bytes = 300 * kMiB;  // of the context and of others
  bool has_result = false;

  void take(double bytes) {
    stats.allocations += 1;
    stats.allocated_bytes += bytes;
    stats.peak_allocated_bytes = std::max(stats.peak_allocated_bytes, stats.allocated_bytes);
    if (stats.allocated_bytes > stats.reserved_bytes) {
      stats.reserved_bytes = stats.allocated_bytes;
      stats.device_allocations += 1;
    }
    stats.peak_reserved_bytes = std::max(stats.peak_reserved_bytes, stats.reserved_bytes);
  }
  void clear() {
    if (has_result) stats.allocated_bytes -= result_bytes;
    has_result = false;
  }
  void launch() {
    clear();
    if (launches++ == 0) take(workspace_bytes);
    if (asks_device) stats.device_allocations += 1;
    take(result_bytes);
    take(temporary_bytes);
    stats.allocated_bytes -= temporary_bytes;
    has_result = true;
    if (launches % leak_every == 0) {
      if (leak_bytes > 0) take(leak_bytes);
      other_bytes += raw_leak_bytes;
    }
  }
  VisitSamples measure() {
    stats.reserved_bytes += cached_bytes;
    const AllocatorView view{
        .stats = [this] { return stats; },
        .reset_peaks =
            [this] {
              stats.peak_allocated_bytes = stats.allocated_bytes;
              stats.peak_reserved_bytes = stats.reserved_bytes;
            },
        .empty_cache = [this] { stats.reserved_bytes = stats.allocated_bytes; },
        .fragmentation = [] { return 0.25; },
        .bytes_in_use = [this] { return other_bytes + stats.reserved_bytes; },
        .name = "scripted"};
    return measure_memory(
        device, [this] { launch(); }, [this] { clear(); }, view, {});
  }
};

const MeasuredMetric& metric(const VisitSamples& samples, const std::string& name) {
  const auto found = std::ranges::find(samples.measurements, name, &MeasuredMetric::metric);
  if (found == samples.measurements.end()) throw std::runtime_error("no metric " + name);
  return *found;
}

void expect_all(const VisitSamples& samples, const std::string& name, double value) {
  for (const double sample : metric(samples, name).samples.values()) EXPECT_EQ(sample, value);
}

bool has_flag(const VisitSamples& samples, const std::string& name, const char* flag) {
  const auto& flags = metric(samples, name).flags;
  return std::ranges::find(flags, std::string(flag)) != flags.end();
}

TEST(MemoryPhase, PeakIsWhatALaunchHoldsBeyondItsInputsAndTheLibrariesWorkspaces) {
  ScriptedCase subject;
  const VisitSamples samples = subject.measure();
  expect_all(samples, "peak_memory", 6 * kMiB);
  expect_all(samples, "allocations", 2);
  expect_all(samples, "device_allocations", 0);
  expect_all(samples, "allocation_retries", 0);
  expect_all(samples, "leaked_memory", 0);
  expect_all(samples, "fragmentation", 0.25);
  EXPECT_TRUE(samples.absent.empty());
  for (const MeasuredMetric& measurement : samples.measurements)
    EXPECT_TRUE(measurement.flags.empty());
}

TEST(MemoryPhase, ReservedMemoryIsThisCasesNotWhatEarlierOnesLeftInTheCache) {
  ScriptedCase subject;
  expect_all(subject.measure(), "reserved_memory", 6 * kMiB);
}

TEST(MemoryPhase, HasEightBlocksOfTwoLaunches) {
  ScriptedCase subject;
  const VisitSamples samples = subject.measure();
  const MeasuredMetric& peak = metric(samples, "peak_memory");
  EXPECT_EQ(peak.samples.blocks(), 8u);
  EXPECT_EQ(peak.samples.values().size(), 16u);
  EXPECT_EQ(peak.block_times_s.size(), 8u);
  EXPECT_EQ(peak.block_causes.size(), 8u);
}

TEST(MemoryPhase, TensorsThatStayAreALeak) {
  ScriptedCase subject;
  subject.leak_bytes = kMiB;
  const VisitSamples samples = subject.measure();
  expect_all(samples, "leaked_memory", kMiB);
  EXPECT_TRUE(has_flag(samples, "leaked_memory", kFlagLeak));
}

TEST(MemoryPhase, ALeakOfEveryFourthLaunchIsOne) {
  ScriptedCase subject;
  subject.leak_bytes = kMiB;
  subject.leak_every = 4;
  EXPECT_TRUE(has_flag(subject.measure(), "leaked_memory", kFlagLeak));
}

TEST(MemoryPhase, MemoryTakenOnceIsNoLeak) {
  ScriptedCase subject;
  subject.leak_bytes = kMiB;
  subject.leak_every = 1000;
  subject.launches = 990;  // only the fourth of the sixteen launches that are checked
  const VisitSamples samples = subject.measure();
  EXPECT_FALSE(has_flag(samples, "leaked_memory", kFlagLeak));
}

TEST(MemoryPhase, MemoryThatTheAllocatorKnowsNothingOfLeaksToo) {
  ScriptedCase subject;
  subject.raw_leak_bytes = 2 * kMiB;
  const VisitSamples samples = subject.measure();
  expect_all(samples, "leaked_memory", 2 * kMiB);
  EXPECT_TRUE(has_flag(samples, "leaked_memory", kFlagLeak));
}

TEST(MemoryPhase, ALaunchThatAsksTheDeviceForMemoryIsFlagged) {
  ScriptedCase subject;
  subject.asks_device = true;
  const VisitSamples samples = subject.measure();
  expect_all(samples, "device_allocations", 1);
  EXPECT_TRUE(has_flag(samples, "device_allocations", kFlagAllocation));
}

TEST(MemoryPhase, WhatAnAllocatorDoesNotCountIsAbsentWithItsName) {
  ScriptedCase subject;
  subject.stats.allocations = subject.stats.retries = kUnknown;
  const VisitSamples samples = subject.measure();
  EXPECT_NE(samples.absent.at("allocations").find("'scripted'"), std::string::npos);
  EXPECT_EQ(samples.absent.size(), 2u);
  expect_all(samples, "peak_memory", 6 * kMiB);
}

TEST(MemoryPhase, GrowthHasToGoOnToBeALeak) {
  EXPECT_TRUE(grows_throughout(std::vector<double>{0, 1, 0, 1}));
  EXPECT_FALSE(grows_throughout(std::vector<double>{5, 0, 0, 0}));
  EXPECT_FALSE(grows_throughout(std::vector<double>{0, 0, 0, 5}));
  EXPECT_FALSE(grows_throughout(std::vector<double>{1, -1, 1, -1}));
  EXPECT_FALSE(grows_throughout({}));
}

}  // namespace
}  // namespace plumbline
