/// One NVIDIA GPU: a stream of its own, an arena, and launches timed by events while the stream is
/// held, so that the host's enqueueing is never inside a reading.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#include "device/arena.h"
#include "device/cuda/kernels.h"
#include "device/cuda/nvml.h"
#include "device/device.h"

namespace plumbline::cuda {

/// Number of visible GPUs; 0 without a driver.
int device_count();

/// The environment record of a GPU, without opening anything on it but a context.
Environment describe(int ordinal);

/// Where tensors come from: the arena (profiles timing and trace), one cudaMalloc each (sanitizer),
/// or LibTorch's own allocator, which then never asks the device (stock).
enum class MemoryMode { arena, one_allocation_per_tensor, libtorch };

class CudaDevice final : public Device {
 public:
  CudaDevice(int ordinal, MemoryMode memory);
  ~CudaDevice() override;

  Environment environment() const override { return describe(ordinal_); }
  std::vector<TimeMetric> time_metrics(const std::vector<std::string>& cache,
                                       bool is_holdable) const override;
  double timer_floor_s() const override { return floor_s_; }
  void place(std::uint64_t key) override { arena_.place(key); }
  void begin_launch() override { arena_.begin_launch(); }
  void* allocate(std::size_t bytes) override;
  void release(void* address) override;
  void poison_allocations(bool on) override { is_poisoning_ = on; }
  void fill(const Buffer& buffer, std::uint64_t seed, const Distribution&) override;
  BlockReading time_block(const Launch& launch, const BlockPlan& plan) override;
  bool can_be_held(const Launch& launch) override;
  void synchronize() override;
  double now_s() const override;
  DeviceState state() const override { return nvml_->state(); }

  cudaStream_t stream() const { return stream_; }
  int ordinal() const { return ordinal_; }

 private:
  struct EventPair {
    cudaEvent_t start, stop;
  };
  void open_arena();
  void evict();
  void hold(std::uint64_t watchdog_ns);
  bool release_hold();  // false when the watchdog was first
  void calibrate_floor();
  std::vector<double> time_held(const Launch& launch, const BlockPlan& plan, int samples,
                                BlockReading& reading);
  BlockReading time_by_host(const Launch& launch, const BlockPlan& plan);

  int ordinal_;
  MemoryMode memory_;
  cudaDeviceProp properties_{};
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<Nvml> nvml_;
  Arena arena_;
  void* arena_base_ = nullptr;
  void* evict_buffer_ = nullptr;
  std::size_t evict_bytes_ = 0;
  HoldState* hold_ = nullptr;       // mapped host memory
  ClockReading* clocks_ = nullptr;  // two of them, mapped host memory
  std::vector<EventPair> events_;
  double floor_s_ = 0;
  bool is_poisoning_ = false;
};

}  // namespace plumbline::cuda
