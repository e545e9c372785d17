// What the GPU counts in a launch: the workers of the profile counters.
#include "device/cuda/cuda_device.h"
#include "device/cuda/cupti/counter_formulas.h"
#include "device/cuda/held_stream.h"

namespace plumbline::cuda {
namespace {

/// Of the current GPU. Found through the CUDA run time, so that the worker starts without a driver.
CUcontext current_context() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(
      cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 12000, cudaEnableDefault, &found),
      "cudaGetDriverEntryPointByVersion of cuCtxGetCurrent");
  CUcontext context = nullptr;
  if (entry == nullptr || reinterpret_cast<decltype(&cuCtxGetCurrent)>(entry)(&context) != 0 ||
      context == nullptr)
    throw DeviceError("cuCtxGetCurrent: the driver names no context of the GPU",
                      DeviceError::Kind::recoverable);
  return context;
}

}  // namespace

void CudaDevice::open_counters() {
  try {
    profiler_ = std::make_unique<RangeProfiler>(ordinal_, current_context(), needed_counters());
  } catch (const DeviceError& error) {
    no_counters_ = error.what();
  }
}

std::string CudaDevice::no_counters() const {
  if (profile_ != Profile::counters) return "only workers of the profile 'counters' count";
  return no_counters_;
}

CounterReading CudaDevice::count(const Launch& launch, const std::function<void()>& before,
                                 const std::function<void()>& after) {
  if (const std::string reason = no_counters(); !reason.empty())
    throw DeviceError(reason, DeviceError::Kind::recoverable);
  const auto make_ready = [&] {
    before();
    refuse_persistence();
    evict(CacheState::cold);
    synchronize();
  };
  const auto work = [&] {
    run_batch(launch, 1);
    synchronize();
  };
  return counted(profiler_->count({make_ready, work, after}), profiler_->chip());
}

}  // namespace plumbline::cuda
