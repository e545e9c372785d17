/// One device in the caller's own process: times blocks of launches of a Python callable with the
/// same Device as a worker.
///
/// The process belongs to the caller: its CUDA context is kept, its allocator places tensors, and
/// launches go to this engine's stream, which the caller makes current. Knows no LibTorch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/run/policy.h"
#include "core/run/result.h"
#include "device/device.h"
#include "measure/sampler.h"

namespace plumbline::python {

struct BlockRequest {
  CacheState cache = CacheState::cold;
  int samples = 6;
  int batch = 1;  // launches per sample, hot only
  bool is_held = true;
};

class Engine {
 public:
  /// `device`: "cpu", "cuda" or "cuda:N". Allocates the memory for evictions and calibrates the
  /// event floor. Throws Error for another name, DeviceError if the device fails.
  explicit Engine(const std::string& device);

  const std::string& name() const { return name_; }
  bool is_cuda() const { return device_->is_cuda(); }
  /// A cudaStream_t as a number; 0 on a CPU.
  std::uintptr_t stream() const { return stream_; }
  Environment environment() const { return device_->environment(); }

  /// A visit as in a worker: warms up, then measures blocks at one placement after another until
  /// each time is precise enough or `policy` ends it. Throws what `place` and the launches throw.
  VisitSamples visit(const PlaceSubject& place, const Policy& policy);

  /// False for a launch that waits for the device: the host's clock must time it.
  bool can_be_held(const Launch& launch) { return device_->can_be_held(launch); }
  /// Throws what the launches throw.
  BlockReading time_block(const Launch& launch, const BlockRequest& request);
  void synchronize() { device_->synchronize(); }

 private:
  std::unique_ptr<Device> device_;
  std::string name_;
  std::uintptr_t stream_ = 0;
};

}  // namespace plumbline::python
