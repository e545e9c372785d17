/// Other GPUs that compute a case together with a device: rank r runs on the r-th GPU after it.
///
/// The device's own stream orders everything. After fork() the other ranks' streams continue behind
/// it, and after join() it continues behind them. Kernels of the device read and write the other
/// ranks' memory directly. Knows no NCCL.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/arena.h"
#include "device/cuda/kernels.h"
#include "device/cuda/rank_kernels.h"
#include "device/device.h"

namespace plumbline::cuda {

/// Makes a GPU the current one for a scope.
class OnDevice {
 public:
  explicit OnDevice(int ordinal);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

/// What the ranks need from the device of rank 0.
struct RanksSite {
  int ordinal = 0;
  cudaStream_t stream = nullptr;
  bool has_arena = false;
  std::size_t evict_bytes = 0;
};

class Ranks {
 public:
  explicit Ranks(RanksSite site);
  ~Ranks();

  /// The next cases have that many ranks. Opens GPUs at first use. Returns "", or why this machine
  /// cannot.
  std::string use(int count);
  /// With rank 0.
  int count() const { return 1 + int(used_); }
  int ordinal(int rank) const { return at(rank).ordinal; }
  cudaStream_t stream(int rank) const { return at(rank).stream; }

  void fork();
  void join();
  /// Waits for all work on the other ranks; throws DeviceError if any of it failed.
  void synchronize();

  /// Forks, and occupies the streams of all ranks until the host releases the hold. Then all go on
  /// at one time, by the GPUs' clocks. The current device must be rank 0's.
  void hold(HoldState* hold, std::uint64_t watchdog_ns);
  /// Returns when all ranks are held; false if one is not within the time.
  bool wait_until_held(double patience_s) const;
  void evict(CacheState cache, HoldState* sink);
  /// The timed window of the other ranks begins, ends. Enqueued.
  void start();
  void stop();
  /// Seconds of the longest of these windows. Call after synchronize().
  double longest_s() const;
  /// When each rank was released from the hold: seconds after the first, by the GPUs' clocks.
  /// `own`: rank 0's reading after its hold. Call after synchronize().
  std::vector<double> starts_s(const ClockReading& own) const;

  /// As Device's, for the memory of the other ranks. nullptr if there is no room.
  void place(std::uint64_t key);
  void begin_launch();
  void* allocate(int ordinal, std::size_t bytes);
  void poison_new(int ordinal, void* memory, std::size_t bytes);
  /// False if the address does not belong to another rank's arena.
  bool release(void* address);

 private:
  struct Rank {
    int ordinal = 0;
    cudaStream_t stream = nullptr;
    cudaEvent_t start = nullptr, stop = nullptr, done = nullptr;
    void* evict_buffer = nullptr;
    Arena arena;
    char* arena_base = nullptr;
    ClockReading* released = nullptr;           // mapped host memory
    volatile std::uint32_t* arrived = nullptr;  // mapped host memory: number of the last hold
  };

  const Rank& at(int rank) const { return *others_.at(std::size_t(rank) - 1); }
  Rank* with_ordinal(int ordinal);
  std::string open_next(int devices);
  std::string allow_access(int ordinal) const;
  void open_arena(Rank& rank) const;
  void load_kernels(const Rank& rank) const;
  std::string meet();

  RanksSite site_;
  std::vector<std::unique_ptr<Rank>> others_;  // rank 1, 2, …: those that were opened
  std::size_t used_ = 0;                       // of them, in the current case
  cudaEvent_t forked_ = nullptr;
  Meeting* meetings_ = nullptr;  // mapped host memory; with rank 1, 2, …
  std::uint32_t holds_ = 0;
};

}  // namespace plumbline::cuda
