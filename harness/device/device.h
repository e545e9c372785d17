/// What measuring needs of a processor: placing memory, filling it, and timing blocks of launches.
///
/// The seam between measure/ and the hardware: device/cpu and device/cuda implement it, and a
/// scripted device plays back samples in tests. Knows no op, no case and no LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/environment.h"
#include "device/buffer.h"

namespace plumbline {

/// Enqueues one execution of an implementation on the device's stream.
using Launch = std::function<void()>;

enum class CacheState { cold, hot };

/// A metric of time that this device can measure.
struct TimeMetric {
  std::string name;  // gpu_time_cold, gpu_time_hot, wall_time
  CacheState cache = CacheState::hot;
  bool is_wall_time = false;  // by the host's clock, launch and completion
};

/// How the launches of one block are timed.
struct BlockPlan {
  CacheState cache = CacheState::hot;
  bool is_wall_time = false;
  int samples = 10;
  int batch = 1;  // launches per sample, hot only
};

struct BlockReading {
  std::vector<double> samples_s;  // per launch, floor not subtracted
  double spent_s = 0;             // device time of the timed launches themselves
  double clock_hz = 0;            // SM clock around the launches; 0 = unknown
  bool hold_expired = false;      // the enqueue took longer than the hold: the host was timed too
};

/// State of the device's sensors; unknown numbers are NaN.
struct DeviceState {
  double temperature_c, power_w;
  std::string throttle;  // active clock event reasons that are no idling
  bool has_foreign_process = false;
};

class Device {
 public:
  virtual ~Device() = default;

  /// The device's part of the environment record.
  virtual Environment environment() const = 0;

  /// Metrics for the cache states that a policy asks for, in their order. Launches that cannot be
  /// held have wall_time only.
  virtual std::vector<TimeMetric> time_metrics(const std::vector<std::string>& cache,
                                               bool is_holdable) const = 0;

  /// Seconds that the timer itself adds to a reading and that are subtracted; 0 = nothing.
  virtual double timer_floor_s() const = 0;

  /// Memory allocated from now on lies at the placement that `key` determines.
  virtual void place(std::uint64_t key) = 0;

  /// A new launch begins: its allocations get the same places as those of the launch before.
  virtual void begin_launch() = 0;

  /// Memory at the current placement; nullptr when there is no room.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* address) = 0;

  /// While on, newly allocated memory is filled with bytes that read as NaN.
  virtual void poison_allocations(bool on) = 0;

  /// Fills with values that depend on seed and index only. Enqueued.
  virtual void fill(const Buffer& buffer, std::uint64_t seed, const Distribution&) = 0;

  /// Runs the plan's launches and returns one sample per `batch` of them. Blocks until done.
  virtual BlockReading time_block(const Launch& launch, const BlockPlan& plan) = 0;

  /// False for a launch that waits for the device, and so would wait for ever behind a held stream.
  virtual bool can_be_held(const Launch& launch) = 0;

  /// Waits for all work; throws DeviceError if any of it failed.
  virtual void synchronize() = 0;

  /// Monotonic host clock, seconds.
  virtual double now_s() const = 0;

  virtual DeviceState state() const = 0;
};

}  // namespace plumbline
