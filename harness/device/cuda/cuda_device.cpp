#include "device/cuda/cuda_device.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "core/value.h"

namespace plumbline::cuda {
namespace {

/// Launches that may wait behind a hold at once: the queue takes about 1,000 entries, and an op may
/// be several kernels with events around them.
constexpr int kHeldLaunchesMax = 64;
/// Lets go of a stream whose host got stuck; far above any enqueue of kHeldLaunchesMax launches.
constexpr std::uint64_t kWatchdogNs = 250'000'000;
constexpr std::uint64_t kProbeWatchdogNs = 20'000'000;
constexpr std::size_t kArenaReserve = std::size_t{4} << 30;  // for cuDNN, cuBLAS and code

/// Every reading of one stream goes to memory that the GPU writes and the host reads.
template <class T>
T* mapped_memory(std::size_t count) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped), "cudaHostAlloc");
  return static_cast<T*>(memory);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += digits;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

CudaDevice::CudaDevice(int ordinal, MemoryMode memory) : ordinal_(ordinal), memory_(memory) {
  check(cudaSetDevice(ordinal), "cudaSetDevice");
  check(cudaGetDeviceProperties(&properties_, ordinal), "cudaGetDeviceProperties");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  nvml_ = std::make_unique<Nvml>(uuid_text(properties_.uuid));
  hold_ = mapped_memory<HoldState>(1);
  clocks_ = mapped_memory<ClockReading>(2);
  events_.resize(kHeldLaunchesMax);
  for (EventPair& pair : events_) {
    check(cudaEventCreate(&pair.start), "cudaEventCreate");
    check(cudaEventCreate(&pair.stop), "cudaEventCreate");
  }
  evict_bytes_ =
      std::max<std::size_t>(2 * std::size_t(properties_.l2CacheSize), std::size_t{256} << 20);
  check(cudaMalloc(&evict_buffer_, evict_bytes_), "cudaMalloc of the eviction buffer");
  launch_fill({evict_buffer_, DType::int32, std::int64_t(evict_bytes_ / 4)}, 1,
              {Distribution::Kind::integer, 0, 1e9}, stream_);
  if (memory_ == MemoryMode::arena) open_arena();
  calibrate_floor();
}

CudaDevice::~CudaDevice() = default;  // the process ends with its device; the driver frees the rest

void CudaDevice::open_arena() {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::size_t spare =
      free_bytes > 2 * kArenaReserve ? free_bytes - kArenaReserve : free_bytes / 2;
  // A share of the device's total, so that two processes of a pair get arenas of one size.
  const std::size_t bytes =
      std::min(spare, total_bytes / 10 * 6) / Arena::kLargeAlignment * Arena::kLargeAlignment;
  check(cudaMalloc(&arena_base_, bytes), "cudaMalloc of the arena");
  arena_.adopt(arena_base_, bytes);
}

Environment describe(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  Environment e;
  e.device_kind = "cuda";
  e.device_model = properties.name;
  e.device_uuid = uuid_text(properties.uuid);
  e.device_memory_bytes = std::to_string(properties.totalGlobalMem);
  e.device_l2_bytes = std::to_string(properties.l2CacheSize);
  e.device_units = std::to_string(properties.multiProcessorCount);
  e.ecc = properties.ECCEnabled ? "on" : "off";
  Nvml(e.device_uuid).describe(e);
  e.device_class = e.device_model;
  if (!e.power_limit_w.empty()) e.device_class += ", " + e.power_limit_w + " W";
  e.device_class += ", ECC " + e.ecc + (e.mig == "on" ? ", MIG" : "");
  int version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess) e.cuda_driver = version_text(version);
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) e.cuda_runtime = version_text(version);
  return e;
}

std::vector<TimeMetric> CudaDevice::time_metrics(const std::vector<std::string>& cache,
                                                 bool is_holdable) const {
  if (!is_holdable) return {{"wall_time", CacheState::hot, true}};
  std::vector<TimeMetric> metrics;
  for (const std::string& state : cache)
    metrics.push_back(state == "cold" ? TimeMetric{"gpu_time_cold", CacheState::cold, false}
                                      : TimeMetric{"gpu_time_hot", CacheState::hot, false});
  return metrics;
}

void* CudaDevice::allocate(std::size_t bytes) {
  void* memory = nullptr;
  if (memory_ == MemoryMode::arena) {
    memory = arena_.allocate(bytes);
  } else if (const cudaError_t code = cudaMalloc(&memory, bytes);
             code != cudaErrorMemoryAllocation) {
    check(code, "cudaMalloc");
  } else {
    cudaGetLastError();  // clears the error: running out of memory is not sticky
  }
  if (memory != nullptr && is_poisoning_)
    check(cudaMemsetAsync(memory, 0xff, bytes, stream_), "cudaMemsetAsync");
  return memory;
}

void CudaDevice::release(void* address) {
  if (memory_ == MemoryMode::arena)
    arena_.release(address);
  else
    check(cudaFree(address), "cudaFree");
}

void CudaDevice::fill(const Buffer& buffer, std::uint64_t seed, const Distribution& distribution) {
  launch_fill(buffer, seed, distribution, stream_);
}

void CudaDevice::synchronize() {
  check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  check(cudaGetLastError(), "work on the device");
}

double CudaDevice::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void CudaDevice::evict() { launch_evict(evict_buffer_, evict_bytes_, hold_, stream_); }

void CudaDevice::hold(std::uint64_t watchdog_ns) {
  hold_->released = 0;
  hold_->expired = 0;
  launch_hold(hold_, watchdog_ns, stream_);
}

bool CudaDevice::release_hold() {
  const bool was_in_time = hold_->expired == 0;
  hold_->released = 1;
  return was_in_time;
}

bool CudaDevice::can_be_held(const Launch& launch) {
  synchronize();
  hold(kProbeWatchdogNs);
  begin_launch();
  try {
    launch();
  } catch (...) {
    hold_->released = 1;
    throw;
  }
  const bool returned_before_release = release_hold();
  synchronize();
  return returned_before_release;
}

std::vector<double> CudaDevice::time_held(const Launch& launch, const BlockPlan& plan, int samples,
                                          BlockReading& reading) {
  hold(kWatchdogNs);
  try {
    if (plan.cache == CacheState::hot) {  // what ran before must not decide how warm the first is
      begin_launch();
      launch();
    }
    for (int i = 0; i < samples; ++i) {
      if (plan.cache == CacheState::cold) evict();
      check(cudaEventRecord(events_[i].start, stream_), "cudaEventRecord");
      for (int k = 0; k < plan.batch; ++k) {
        begin_launch();
        launch();
      }
      check(cudaEventRecord(events_[i].stop, stream_), "cudaEventRecord");
    }
  } catch (...) {
    hold_->released = 1;  // whatever happens, the stream must not stay held
    throw;
  }
  if (!release_hold()) reading.hold_expired = true;
  synchronize();
  std::vector<double> values;
  for (int i = 0; i < samples; ++i) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, events_[i].start, events_[i].stop),
          "cudaEventElapsedTime");
    values.push_back(milliseconds * 1e-3);
    reading.spent_s += milliseconds * 1e-3;
  }
  return values;
}

BlockReading CudaDevice::time_block(const Launch& launch, const BlockPlan& plan) {
  if (plan.is_wall_time) return time_by_host(launch, plan);
  BlockReading reading;
  if (plan.cache == CacheState::cold) check(cudaCtxResetPersistingL2Cache(), "L2 reset");
  const int per_hold = std::max(1, kHeldLaunchesMax / plan.batch);
  launch_clock_reading(&clocks_[0], stream_);
  for (int done = 0; done < plan.samples;) {
    const int samples = std::min({per_hold, plan.samples - done, int(events_.size())});
    for (const double value : time_held(launch, plan, samples, reading))
      reading.samples_s.push_back((value - floor_s_) / plan.batch);
    done += samples;
  }
  launch_clock_reading(&clocks_[1], stream_);
  synchronize();
  const ClockReading& a = clocks_[0];
  const ClockReading& b = clocks_[1];
  if (a.multiprocessor == b.multiprocessor && b.nanoseconds > a.nanoseconds)
    reading.clock_hz = double(b.cycles - a.cycles) / double(b.nanoseconds - a.nanoseconds) * 1e9;
  return reading;
}

BlockReading CudaDevice::time_by_host(const Launch& launch, const BlockPlan& plan) {
  BlockReading reading;
  for (int i = 0; i < plan.samples; ++i) {
    const double start = now_s();
    for (int k = 0; k < plan.batch; ++k) {
      begin_launch();
      launch();
    }
    synchronize();
    const double elapsed = now_s() - start;
    reading.samples_s.push_back(elapsed / plan.batch);
    reading.spent_s += elapsed;
  }
  return reading;
}

void CudaDevice::calibrate_floor() {
  const Launch nothing = [this] { launch_nothing(stream_); };
  const BlockPlan plan{.cache = CacheState::hot, .is_wall_time = false, .samples = 60, .batch = 1};
  time_block(nothing, plan);
  BlockReading reading = time_block(nothing, plan);
  std::ranges::sort(reading.samples_s);
  floor_s_ = reading.samples_s[reading.samples_s.size() / 2];
}

}  // namespace plumbline::cuda
