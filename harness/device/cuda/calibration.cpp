#include "device/cuda/calibration.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "device/cuda/bandwidth_kernels.h"
#include "device/cuda/kernels.h"

namespace plumbline::cuda {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr int kLaunchesPerReading = 2;  // over 1 GiB: 1 ms on an H200
constexpr int kEmptyLaunches = 1000;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct FreeDevice {
  void operator()(void* memory) const { cudaFree(memory); }
};
struct FreePinned {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};
using DeviceMemory = std::unique_ptr<void, FreeDevice>;
using PinnedMemory = std::unique_ptr<void, FreePinned>;

/// Null if there is no room.
DeviceMemory device_memory(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t code = cudaMalloc(&memory, bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears the error, which later callers must not see
    return nullptr;
  }
  check(code, "cudaMalloc of a calibration buffer");
  return DeviceMemory(memory);
}

class Calibrator {
 public:
  Calibrator(Calibration& calibration, cudaStream_t stream, const TimerFloor& floor,
             CalibrationExtent extent)
      : calibration_(calibration),
        stream_(stream),
        floor_(floor),
        is_full_(extent == CalibrationExtent::full) {
    check(cudaEventCreate(&start_), "cudaEventCreate");
    check(cudaEventCreate(&stop_), "cudaEventCreate");
    int ordinal = 0;
    check(cudaGetDevice(&ordinal), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, ordinal),
          "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&l2_bytes_, cudaDevAttrL2CacheSize, ordinal),
          "cudaDeviceGetAttribute");
  }
  ~Calibrator() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  Calibrator(const Calibrator&) = delete;
  Calibrator& operator=(const Calibrator&) = delete;

  void run() {
    measure_memory();
    measure_launches();
    measure_bus();
    calibration_.add("event_floor_s", floor_.seconds, floor_.uncertainty_s);
  }

 private:
  /// Seconds of device time that `work` takes. Untimed work runs before it, so that the stream is
  /// busy while the host enqueues.
  double seconds_of(const Launch& work, int repeats) {
    work();
    check(cudaEventRecord(start_, stream_), "cudaEventRecord");
    for (int i = 0; i < repeats; ++i) work();
    check(cudaEventRecord(stop_, stream_), "cudaEventRecord");
    check(cudaEventSynchronize(stop_), "calibration kernels");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return (milliseconds * 1e-3 - floor_.seconds) / repeats;
  }

  std::vector<double> rates_of(const Launch& work, double bytes, int readings, int repeats) {
    std::vector<double> rates;
    for (int i = 0; i < readings; ++i) rates.push_back(bytes / seconds_of(work, repeats));
    return rates;
  }

  /// Moves that many bytes, in one of several ways.
  using Way = std::function<void(std::size_t bytes)>;

  /// Measures the fastest way again. `moved`: bytes moved for each byte of a buffer.
  void add_best(const std::string& name, const std::vector<Way>& ways,
                const std::vector<std::size_t>& sizes, double moved) {
    const auto rates = [&](std::size_t way, std::size_t bytes, int readings) {
      const int repeats = bytes > sizes.front() ? 1 : kLaunchesPerReading;
      return rates_of([&] { ways[way](bytes); }, moved * double(bytes), readings, repeats);
    };
    const FastestWay best =
        fastest_way(ways.size(), sizes,
                    [&](std::size_t way, std::size_t bytes) { return rates(way, bytes, 3); });
    if (best.rate > 0)
      calibration_.add(name, rates(best.way, best.bytes, is_full_ ? 15 : 7));
    else
      calibration_.absent[name] = "no kernel took longer than the timer's floor";
  }

  std::vector<AccessShape> shapes() const {
    std::vector<AccessShape> all;
    for (const int width : {4, 8, 16})
      for (const int per_multiprocessor : {4, 8, 16, 32, 64})
        all.push_back({width, multiprocessors_ * per_multiprocessor});
    return all;
  }

  void measure_memory() {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    std::vector<std::size_t> sizes = copy_sizes(free_bytes, std::size_t(l2_bytes_));
    DeviceMemory from = device_memory(sizes.back());
    DeviceMemory to = device_memory(sizes.back());
    while ((!from || !to) && sizes.back() > 4 * std::size_t(l2_bytes_)) {
      from.reset();
      to.reset();
      sizes = {std::min(sizes.front(), sizes.back() / 2 / kMiB * kMiB)};
      from = device_memory(sizes.back());
      to = device_memory(sizes.back());
    }
    if (!from || !to) {
      for (const char* name : {"copy_bytes_per_s", "read_bytes_per_s", "write_bytes_per_s"})
        calibration_.absent[name] = "there is no memory left for buffers that no cache holds";
      return;
    }
    check(cudaMemsetAsync(from.get(), 0xff, sizes.back(), stream_), "cudaMemsetAsync");
    std::vector<Way> copies{[&](std::size_t bytes) {
      check(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice, stream_),
            "cudaMemcpyAsync");
    }};
    std::vector<Way> writes{[&](std::size_t bytes) {
      check(cudaMemsetAsync(to.get(), 0, bytes, stream_), "cudaMemsetAsync");
    }};
    std::vector<Way> reads;
    for (const AccessShape shape : shapes()) {
      copies.emplace_back([&, shape](std::size_t bytes) {
        launch_plain_copy(to.get(), from.get(), bytes, shape, stream_);
      });
      writes.emplace_back(
          [&, shape](std::size_t bytes) { launch_plain_write(to.get(), bytes, shape, stream_); });
      reads.emplace_back([&, shape](std::size_t bytes) {
        launch_plain_read(from.get(), bytes, to.get(), shape, stream_);
      });
    }
    add_best("copy_bytes_per_s", copies, sizes, 2);
    // No result is checked against these two rates; the larger size would take 60 ms for them.
    add_best("read_bytes_per_s", reads, {sizes.front()}, 1);
    add_best("write_bytes_per_s", writes, {sizes.front()}, 1);
  }

  void measure_launches() {
    std::vector<double> readings;
    for (int i = 0; i <= 5; ++i) {
      const double begin_s = now_s();
      for (int k = 0; k < kEmptyLaunches; ++k) launch_nothing(stream_);
      check(cudaStreamSynchronize(stream_), "empty kernels");
      if (i > 0) readings.push_back((now_s() - begin_s) / kEmptyLaunches);
    }
    calibration_.add("launch_s", readings);
  }

  void measure_bus() {
    const std::size_t bytes = (is_full_ ? 256 : 64) * kMiB;
    const DeviceMemory device = device_memory(bytes);
    void* memory = nullptr;
    if (device) {
      const cudaError_t code = cudaHostAlloc(&memory, bytes, cudaHostAllocDefault);
      if (code != cudaErrorMemoryAllocation) check(code, "cudaHostAlloc");
      cudaGetLastError();  // clears the error, which later callers must not see
    }
    const PinnedMemory pinned(memory);
    if (!device || !pinned) {
      for (const char* name : {"h2d_bytes_per_s", "d2h_bytes_per_s"})
        calibration_.absent[name] = "there is no memory left for it on the device or on the host";
      return;
    }
    const auto copy = [&](void* to, const void* from, cudaMemcpyKind kind) {
      check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "cudaMemcpyAsync");
    };
    calibration_.add("h2d_bytes_per_s",
                     rates_of([&] { copy(device.get(), pinned.get(), cudaMemcpyHostToDevice); },
                              double(bytes), 5, 1));
    calibration_.add("d2h_bytes_per_s",
                     rates_of([&] { copy(pinned.get(), device.get(), cudaMemcpyDeviceToHost); },
                              double(bytes), 5, 1));
    if (is_full_) measure_pageable_bus(device.get(), bytes);
  }

  /// Uses the host's clock, because the host copies through buffers of the driver.
  void measure_pageable_bus(void* device, std::size_t bytes) {
    std::vector<char> host(bytes, 1);
    const auto rates = [&](void* to, const void* from, cudaMemcpyKind kind) {
      std::vector<double> readings;
      for (int i = 0; i <= 3; ++i) {
        const double begin_s = now_s();
        check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "cudaMemcpyAsync");
        check(cudaStreamSynchronize(stream_), "cudaMemcpyAsync");
        if (i > 0) readings.push_back(double(bytes) / (now_s() - begin_s));
      }
      return readings;
    };
    calibration_.add("h2d_pageable_bytes_per_s",
                     rates(device, host.data(), cudaMemcpyHostToDevice));
    calibration_.add("d2h_pageable_bytes_per_s",
                     rates(host.data(), device, cudaMemcpyDeviceToHost));
  }

  Calibration& calibration_;
  cudaStream_t stream_;
  TimerFloor floor_;
  bool is_full_;
  int multiprocessors_ = 1, l2_bytes_ = 0;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

}  // namespace

void calibrate_device(Calibration& calibration, cudaStream_t stream, const TimerFloor& floor,
                      CalibrationExtent extent) {
  Calibrator(calibration, stream, floor, extent).run();
}

}  // namespace plumbline::cuda
