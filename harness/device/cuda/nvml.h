/// NVML, opened at run time: what the driver knows of a GPU beyond what CUDA tells.
///
/// Everything is optional: without libnvidia-ml.so.1, or where a query is not supported, the
/// answers are empty texts and NaN.
#pragma once

#include <memory>
#include <string>

#include "device/device.h"

namespace plumbline::cuda {

class Nvml {
 public:
  /// The GPU with this UUID ("GPU-…").
  explicit Nvml(const std::string& uuid);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Fills driver, power limit, ECC, MIG, persistence and highest clocks.
  void describe(Environment& environment) const;
  DeviceState state() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace plumbline::cuda
