#include "worker/subjects/memory_phase.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "measure/blocks.h"

namespace plumbline {
namespace {

constexpr int kSettlingLaunches = 3;
constexpr std::int64_t kLaunchesMin = 16;  // a leak must show in eight, and in eight more

/// Values of one metric, one per launch.
using Series = std::map<std::string, std::vector<double>>;

class MemoryPhase {
 public:
  MemoryPhase(Device& device, const Launch& launch, const std::function<void()>& clear,
              const AllocatorView& allocator, const Policy& policy)
      : device_(device),
        launch_(launch),
        clear_(clear),
        allocator_(allocator),
        blocks_(policy.blocks_min),
        per_block_((kLaunchesMin + blocks_ - 1) / blocks_) {}

  VisitSamples run() {
    const double begin_s = device_.now_s();
    settle();
    std::vector<double> times_s;
    for (std::int64_t block = 0; block < blocks_; ++block) {
      times_s.push_back(device_.now_s() - begin_s);
      for (std::int64_t i = 0; i < per_block_; ++i) take_sample();
    }
    name_leaks();
    VisitSamples samples;
    for (auto& [metric, values] : values_) add(samples, metric, values, times_s);
    samples.launching_s = device_.now_s() - begin_s;
    return samples;
  }

 private:
  void run_launch() {
    launch_();
    device_.synchronize();
  }
  void drop_results() {
    clear_();
    device_.synchronize();
  }

  /// First libraries take their workspaces, then the cache of earlier cases is released, then
  /// launches reserve what they need again: the readings belong to this case.
  void settle() {
    for (int i = 0; i < kSettlingLaunches; ++i) run_launch();
    drop_results();
    allocator_.empty_cache();
    reserved_before_ = allocator_.stats().reserved_bytes;
    for (int i = 0; i < kSettlingLaunches; ++i) run_launch();
    drop_results();
  }

  void take_sample() {
    const AllocatorStats before = allocator_.stats();
    const double other_before = allocator_.bytes_in_use() - before.reserved_bytes;
    allocator_.reset_peaks();
    run_launch();
    const AllocatorStats after = allocator_.stats();
    values_["peak_memory"].push_back(after.peak_allocated_bytes - before.allocated_bytes);
    values_["reserved_memory"].push_back(after.peak_reserved_bytes - reserved_before_);
    values_["fragmentation"].push_back(allocator_.fragmentation());
    values_["allocations"].push_back(after.allocations - before.allocations);
    values_["device_allocations"].push_back(after.device_allocations - before.device_allocations);
    values_["allocation_retries"].push_back(after.retries - before.retries);
    drop_results();
    const AllocatorStats cleared = allocator_.stats();
    values_["leaked_memory"].push_back(cleared.allocated_bytes - before.allocated_bytes);
    other_.push_back(allocator_.bytes_in_use() - cleared.reserved_bytes - other_before);
  }

  /// Memory taken without the allocator counts if it grows all the time: other programs may also
  /// take and return some.
  void name_leaks() {
    std::vector<double>& leaked = values_["leaked_memory"];
    is_leaking_ = grows_throughout(leaked);
    if (!grows_throughout(other_)) return;
    is_leaking_ = true;
    for (std::size_t i = 0; i < leaked.size(); ++i) leaked[i] += other_[i];
  }

  void add(VisitSamples& samples, const std::string& metric, const std::vector<double>& values,
           const std::vector<double>& times_s) const {
    if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) {
      samples.absent[metric] = "LibTorch's allocator '" + allocator_.name + "' does not count it";
      return;
    }
    MeasuredMetric result;
    result.metric = metric;
    for (std::int64_t block = 0; block < blocks_; ++block) {
      const auto of_block =
          std::span(values).subspan(std::size_t(block * per_block_), std::size_t(per_block_));
      add_block(result, of_block, times_s[std::size_t(block)]);
      result.block_causes.emplace_back();
    }
    if (metric == "leaked_memory" && is_leaking_) result.flags.emplace_back(kFlagLeak);
    if (metric == "device_allocations" && *std::ranges::max_element(values) > 0)
      result.flags.emplace_back(kFlagAllocation);
    samples.measurements.push_back(std::move(result));
  }

  Device& device_;
  const Launch& launch_;
  const std::function<void()>& clear_;
  const AllocatorView& allocator_;
  const std::int64_t blocks_, per_block_;
  double reserved_before_ = 0;
  Series values_;
  std::vector<double> other_;  // growth outside the allocator
  bool is_leaking_ = false;
};

}  // namespace

AllocatorView libtorch_allocator(int ordinal) {
  return {.stats = [ordinal] { return allocator_stats(ordinal); },
          .reset_peaks = [ordinal] { reset_allocator_peaks(ordinal); },
          .empty_cache = empty_allocator_cache,
          .fragmentation = allocator_fragmentation,
          .bytes_in_use = device_bytes_in_use,
          .name = allocator_name()};
}

VisitSamples measure_memory(Device& device, const Launch& launch,
                            const std::function<void()>& clear, const AllocatorView& allocator,
                            const Policy& policy) {
  return MemoryPhase(device, launch, clear, allocator, policy).run();
}

bool grows_throughout(std::span<const double> growth) {
  const auto half = growth.begin() + std::ptrdiff_t(growth.size() / 2);
  return std::accumulate(growth.begin(), half, 0.0) > 0 &&
         std::accumulate(half, growth.end(), 0.0) > 0;
}

}  // namespace plumbline
