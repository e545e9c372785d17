// What events add to a launch: calibrated when the GPU is opened, and again at each visit.
#include "core/unknown.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/held_stream.h"

namespace plumbline::cuda {

Launch CudaDevice::floor_kernel(const std::string& name) {
  constexpr std::size_t kWrittenBytes = std::size_t{64} << 20;
  if (name == "write") return [this] { launch_write(evict_buffer_, kWrittenBytes, stream_); };
  return [this] { launch_nothing(stream_); };
}

void CudaDevice::calibrate_floor() {
  open_tracer();
  constexpr int kFloorSamples = 60;
  std::vector<FloorProbe> probes;
  for (const char* const name : {"empty", "write"}) {
    const Launch launch = floor_kernel(name);
    BlockPlan plan{.cache = CacheState::cold, .timer = Timer::events, .samples = kFloorSamples};
    time_block(launch, plan);
    LatestReadings& readings = floor_readings_[name];
    readings.add(time_block(launch, plan).samples_s);
    FloorProbe probe{name, readings.midmean_s(), kUnknown};
    if (tracer_) {
      plan.timer = Timer::trace;
      plan.samples = kFloorSamples / 2 * 3;  // two of three are traced
      const BlockReading reading = time_block(launch, plan);
      if (!reading.samples_s.empty()) probe.by_trace_s = midmean_of(reading.samples_s);
    }
    probes.push_back(probe);
  }
  floor_ = cuda::event_floor(std::move(probes));
}

/// Only for profile timing: the times of the other profiles do not come from events alone. The
/// empty kernel's readings are steadier and give the drift; all readings give the difference
/// between kernels.
void CudaDevice::begin_visit() {
  if (profile_ != Profile::timing) return;
  const BlockPlan plan{.cache = CacheState::cold, .timer = Timer::events};
  std::vector<FloorProbe> probes = floor_.probes;
  for (FloorProbe& probe : probes) {
    const Launch launch = floor_kernel(probe.kernel);
    LatestReadings& readings = floor_readings_[probe.kernel];
    for (int i = 0; i < kVisitReadings; ++i)
      readings.add(time_held(launch, plan, 1, 0).by_events_s);
    probe.by_events_s = readings.midmean_s();
  }
  floor_ = cuda::event_floor(std::move(probes));
  floor_.floor.seconds += floor_readings_["empty"].drift_s();
}

}  // namespace plumbline::cuda
