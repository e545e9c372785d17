/// What measuring needs from a processor: placing memory, filling it, and timing blocks of
/// launches.
///
/// The interface between measure/ and the hardware: device/cpu and device/cuda implement it, and a
/// scripted device plays back samples in tests. Knows no op, no case and no LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/environment.h"
#include "core/run/policy.h"
#include "device/buffer.h"

namespace plumbline {

/// Enqueues one execution of an implementation on the device's stream.
using Launch = std::function<void()>;

/// cold: L2 evicted by reads before each launch; cold_write: by writes; hot: back to back.
enum class CacheState { cold, cold_write, hot };

/// What reads the time of a launch.
enum class Timer {
  events,      // an event pair on the held stream
  trace,       // CUPTI, for two of three launches; events alone read the others
  graph,       // an event pair around the replay of a graph of launches
  host_clock,  // the host's clock around launch and completion
};

/// A metric of time that a visit measures block by block.
struct TimeMetric {
  std::string name;  // of core/run/metric.h
  CacheState cache = CacheState::hot;
  Timer timer = Timer::events;
};

/// The part of a policy's metrics that a device can measure.
struct TimeMetrics {
  std::vector<TimeMetric> metrics;
  std::map<std::string, std::string> absent;  // metric -> why it cannot be measured
};

/// Runs beside each sample, outside its window; null: nothing. It may wait for the device only
/// around samples that have their own hold.
struct Around {
  std::function<void(int sample)> before, after;
};

/// A digest of memory. Different bytes give different bits, except once in 2^64.
struct Digest {
  std::uint64_t bits = 0;
  std::uint64_t poisoned = 0;  // pieces of 4 bytes that still hold the poison

  friend bool operator==(const Digest&, const Digest&) = default;
};

/// The byte that fills poisoned memory; elements read as NaN.
inline constexpr int kPoison = 0xff;

/// How the launches of one block are timed.
struct BlockPlan {
  CacheState cache = CacheState::hot;
  Timer timer = Timer::events;
  int samples = 10;
  int batch = 1;        // launches per sample, hot only
  double rest_s = 0;    // pause of the GPU before each sample
  bool is_held = true;  // false: the launch waits for the device
  // Hot: a launch before the first sample, and several samples behind one hold.
  bool is_back_to_back = true;
  Around around{};
};

/// Samples of another metric of the same launches.
struct MetricSamples {
  std::string metric;
  std::vector<double> samples;
};

/// Prefix of the timers that say when a rank began, in seconds after the first; its number follows.
inline constexpr std::string_view kRankStart = "rank_start_";

struct BlockReading {
  std::vector<double> samples_s;           // per launch, floor subtracted
  std::vector<MetricSamples> beside;       // kernel_span_…, host_time
  std::map<std::string, double> timers_s;  // medians of other timers' readings of these launches
  double spent_s = 0;                      // device time of the timed launches themselves
  double clock_hz = 0;                     // SM clock around the launches; 0 = unknown
  bool hold_expired = false;   // the enqueue took longer than the hold: times include the host
  bool has_allocated = false;  // memory was allocated at a new place
  std::string failure;         // why there are no samples: the timer lost records
  std::string kernels;         // JSON, of one launch; trace only
};

struct TimerFloor {
  double seconds = 0, uncertainty_s = 0;
};

/// State of the device's sensors; unknown numbers are NaN. A query that the driver must pass to the
/// device costs up to 3 ms, so states are taken between blocks, never inside one.
struct DeviceState {
  double temperature_c = std::numeric_limits<double>::quiet_NaN();
  double memory_temperature_c = std::numeric_limits<double>::quiet_NaN();
  double power_w = std::numeric_limits<double>::quiet_NaN();      // average of about a second
  double sm_clock_hz = std::numeric_limits<double>::quiet_NaN();  // now, not during a block's
                                                                  // launches
  double memory_clock_hz = std::numeric_limits<double>::quiet_NaN();
  std::string throttle;  // reasons of clock events except idling, joined by '+'
  bool has_foreign_process = false;
  // By another process, since the last state() or since watch().
  bool has_foreign_work = false;
};

class Device {
 public:
  virtual ~Device() = default;

  /// Whether its memory is a GPU's.
  virtual bool is_cuda() const { return false; }

  /// The device's part of the environment record.
  virtual Environment environment() const = 0;

  /// The policy's metrics that this device measures in its profile. Launches that cannot be held
  /// have wall_time instead of gpu_time and host_time.
  virtual TimeMetrics time_metrics(const Policy& policy, bool is_holdable) const = 0;

  /// A visit begins: reads again what drifts in the timers.
  virtual void begin_visit() {}

  /// Seconds that events add to a reading, which are subtracted, with their uncertainty.
  virtual TimerFloor timer_floor() const = 0;

  /// Seconds since the arena was allocated.
  virtual double age_s() const = 0;

  /// Memory allocated from now on lies at the placement of `key`. The current key again: the same
  /// places, with their guard bands.
  virtual void place(std::uint64_t key) = 0;

  /// A launch begins: its allocations get the places of the previous launch.
  virtual void begin_launch() = 0;

  /// Memory at the current placement; nullptr if there is no room.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* address) = 0;

  /// Describes writes outside the allocations made since place(); "": none.
  virtual std::string overrun() = 0;

  /// While on, new memory is filled with bytes that read as NaN.
  virtual void poison_allocations(bool on) = 0;

  /// Fills with poison; aligned to 16 bytes. Enqueued.
  virtual void poison(std::span<const MemorySpan> spans) = 0;

  /// Takes one digest of all spans; aligned to 16 bytes. Enqueued.
  virtual void digest(std::span<const MemorySpan> spans) = 0;
  /// Digests since the last call, in order. Waits for the device.
  virtual std::vector<Digest> take_digests() = 0;

  /// Fills with values that depend only on seed and index. Enqueued.
  virtual void fill(const Buffer& buffer, std::uint64_t seed, const Distribution&) = 0;

  /// Runs the plan's launches and returns one sample per `batch` of them. Blocks until done.
  virtual BlockReading time_block(const Launch& launch, const BlockPlan& plan) = 0;

  /// False for a launch that waits for the device: behind a held stream it would wait forever.
  virtual bool can_be_held(const Launch& launch) = 0;

  /// Waits for all work; throws DeviceError if any of it failed.
  virtual void synchronize() = 0;

  /// Monotonic host clock, seconds.
  virtual double now_s() const = 0;

  virtual DeviceState state() const = 0;

  /// The next state() ignores work before now. Costs nothing.
  virtual void watch() const {}

  /// Total energy of the device so far, joules; NaN if unknown.
  virtual double energy_j() const { return std::numeric_limits<double>::quiet_NaN(); }

  /// Times fixed pieces of work: their drift comes from the device, not from a case. Seconds and
  /// sensors by name; empty if the device has none.
  virtual std::map<std::string, double> sentinel() { return {}; }
};

}  // namespace plumbline
