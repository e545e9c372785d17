/// What measuring needs from a device with several streams: instances of a launch are forked from
/// one event, joined into one, and timed between.
///
/// The interface between measure/ and the hardware for cases of stream_setup.h, as device.h is for
/// single launches. device/cuda/streams.h implements it, and a scripted one plays back samples in
/// tests. Knows no op, no case and no LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/op/stream_setup.h"
#include "device/device.h"

namespace plumbline {

/// Enqueues one execution of an instance on a stream, both counted from 0. An instance is launched
/// on the stream of its own number, or on stream 0 if all run one after the other.
using StreamLaunch = std::function<void(int instance, int stream)>;

/// When something ran, by the device's clock.
struct StreamActivity {
  std::uint32_t stream = 0;
  std::uint64_t start_ns = 0, end_ns = 0;
};

/// Readings of one fork-join per launch of an instance, floors subtracted. NaN: not measured.
struct StreamSample {
  double makespan_s = 0;  // from the fork to the join, with the background load if there is one
  double alone_s = std::numeric_limits<double>::quiet_NaN();  // time per instance if all run one
                                                              // after the other on stream 0
  double quiet_s = std::numeric_limits<double>::quiet_NaN();  // the makespan without the load
  std::vector<double> latencies_s;           // from the fork to the end of each stream
  std::vector<StreamActivity> activities{};  // of the fork-join; traced devices only
};

struct StreamPlan {
  int samples = 10;
  int batch = 1;  // launches of each instance per sample
};

struct StreamReading {
  std::vector<StreamSample> samples;
  double spent_s = 0;          // device time of the timed launches
  double clock_hz = 0;         // SM clock during them; 0 = unknown
  bool hold_expired = false;   // the enqueue took longer than the hold: times include the host
  bool has_allocated = false;  // memory was allocated at a new place
  std::string failure;         // why there are no samples
  std::string kernels;         // JSON, of one fork-join; traced devices only
};

class StreamDevice {
 public:
  virtual ~StreamDevice() = default;

  /// Prepares the streams of a case. Returns "", or why this device cannot.
  virtual std::string open(const StreamSetup& setup) = 0;
  virtual void close() = 0;

  /// What empty launches in the same streams and dependencies read from fork to join. It is
  /// subtracted from the makespan. If instances hide each other's start, this is too much, at most
  /// by its excess over the floor of a single stream: that is its uncertainty. The first time_block
  /// of an open case calibrates it.
  virtual TimerFloor fork_join_floor() const = 0;

  /// The open case's stream of that number as its library knows it (cudaStream_t).
  virtual void* handle(int stream) const = 0;

  /// Allocations, fills and guard bands from now on belong to launches on that stream. They lie in
  /// their own part of the memory, so that no stream gets memory that another one still uses.
  /// `alone`: the instance as launched on stream 0 after the others. -1: anywhere, on the device's
  /// own stream.
  virtual void work_for(int instance, bool alone) = 0;

  /// Forks from the device's own stream, launches every instance on its stream, and joins into the
  /// device's own stream. Streams set in `delayed` are first kept busy for `delay_s`. Enqueued.
  virtual void run(const StreamLaunch& launch, const std::vector<bool>& delayed,
                   double delay_s) = 0;

  /// Times fork-joins; blocks until done.
  virtual StreamReading time_block(const StreamLaunch& launch, const StreamPlan& plan) = 0;

  /// Waits for all work on all streams; throws DeviceError if any of it failed.
  virtual void synchronize() = 0;

  /// True if samples come from the device's trace and makespans from its time stamps.
  virtual bool is_traced() const = 0;
};

}  // namespace plumbline
