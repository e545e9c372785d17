#include "python/engine/engine.h"

#include <charconv>

#include "core/error.h"
#include "device/cpu/cpu_device.h"
#include "device/cuda/cuda_device.h"
#include "measure/readings.h"

namespace plumbline::python {
namespace {

/// The N of "cuda:N"; 0 for "cuda".
int ordinal_of(const std::string& device) {
  int ordinal = 0;
  const char* const end = device.data() + device.size();
  const std::size_t digits = std::string_view("cuda:").size();
  if (device != "cuda") {
    const auto [rest, code] = std::from_chars(device.data() + digits, end, ordinal);
    if (!device.starts_with("cuda:") || code != std::errc() || rest != end)
      throw Error("'" + device + "' is no device; allowed: cpu, cuda, cuda:N");
  }
  if (ordinal < 0 || ordinal >= cuda::device_count())
    throw Error("'" + device + "': this machine has " + std::to_string(cuda::device_count()) +
                " CUDA devices");
  return ordinal;
}

}  // namespace

Engine::Engine(const std::string& device) : name_(device) {
  if (device == "cpu") {
    device_ = std::make_unique<CpuDevice>();
    return;
  }
  auto gpu = std::make_unique<cuda::CudaDevice>(cuda::Guest{ordinal_of(device)});
  stream_ = reinterpret_cast<std::uintptr_t>(gpu->stream());
  device_ = std::move(gpu);
}

VisitSamples Engine::visit(const PlaceSubject& place, const Policy& policy) {
  if (const std::string mistake = policy_mistake(policy); !mistake.empty()) throw Error(mistake);
  VisitSamples made = sample_visit(*device_, place, policy);
  made.measurements =
      readings_of(std::move(made.measurements), made.state ? *made.state : device_->state());
  return made;
}

BlockReading Engine::time_block(const Launch& launch, const BlockRequest& request) {
  BlockPlan plan{.cache = request.cache,
                 .timer = is_cuda() && request.is_held ? Timer::events : Timer::host_clock,
                 .samples = request.samples,
                 .batch = request.batch,
                 .is_held = request.is_held};
  return device_->time_block(launch, plan);
}

}  // namespace plumbline::python
