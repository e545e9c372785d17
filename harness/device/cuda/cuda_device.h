/// One NVIDIA GPU with its own stream and arena. Events time launches while the stream is held, so
/// that readings never include the host's enqueueing.
///
/// cuda_device.cpp sets up and places memory, cuda_timing.cpp times launches, cuda_counters.cpp
/// counts what they do, event_floor.cpp calibrates what events add.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/laps.h"
#include "core/run/metric.h"
#include "device/arena.h"
#include "device/counters.h"
#include "device/cuda/context_draw.h"
#include "device/cuda/cupti/loaded_code.h"
#include "device/cuda/cupti/range_profiler.h"
#include "device/cuda/event_floor.h"
#include "device/cuda/kernels.h"
#include "device/cuda/kernels_of_launch.h"
#include "device/cuda/nvml/nvml.h"
#include "device/cuda/ranks.h"
#include "device/device.h"
#include "device/guard_bands.h"

namespace plumbline::cuda {

/// Number of visible GPUs; 0 without a driver.
int device_count();

/// The environment record of a GPU; opens nothing on it except a context.
Environment describe(int ordinal);

/// An arena of another process on the same GPU, opened through CUDA IPC, so that two workers
/// measure at the same places. Text: `handle in hexadecimal digits:bytes`.
using SharedArena = std::string;

/// The most launches behind one hold: the queue takes about 1,000 entries, and an op may be several
/// kernels with events around them.
inline constexpr int kHeldLaunchesMax = 64;
/// The most digests before they are read: reading waits for the device, which is impossible while
/// its stream is held.
inline constexpr int kDigestsMax = 1 << 14;

/// A device in another program's process: Plumbline keeps its context, and its allocator places
/// tensors.
struct Guest {
  int ordinal = 0;
};

class CudaDevice final : public Device, public Counters {
 public:
  /// Memory by profile: timing, trace and counters have an arena, sanitizer makes one cudaMalloc
  /// per tensor, stock uses LibTorch's own allocator, which never asks the device. `arena`: another
  /// process's, or "" for an own one. `known_chain_s`: as for draw_context(). `start`: records how
  /// long each step takes. Throws DeviceError.
  CudaDevice(int ordinal, Profile profile, const SharedArena& arena = "",
             double known_chain_s = kUnknown, Laps* start = nullptr);
  /// As profile timing, without its arena. Throws DeviceError.
  explicit CudaDevice(Guest guest);
  ~CudaDevice() override;

  bool is_cuda() const override { return true; }
  Environment environment() const override { return describe(ordinal_); }
  TimeMetrics time_metrics(const Policy& policy, bool is_holdable) const override;
  void begin_visit() override;
  TimerFloor timer_floor() const override { return floor_.floor; }
  double age_s() const override { return now_s() - opened_s_; }
  void place(std::uint64_t key) override;
  void begin_launch() override;
  void* allocate(std::size_t bytes) override;
  void release(void* address) override;
  std::string overrun() override;
  void poison_allocations(bool on) override { is_poisoning_ = on; }
  void poison(std::span<const MemorySpan> spans) override;
  void digest(std::span<const MemorySpan> spans) override;
  std::vector<Digest> take_digests() override;
  void fill(const Buffer& buffer, std::uint64_t seed, const Distribution&) override;
  BlockReading time_block(const Launch& launch, const BlockPlan& plan) override;
  std::string no_counters() const override;
  CounterReading count(const Launch& launch, const std::function<void()>& before,
                       const std::function<void()>& after) override;
  bool can_be_held(const Launch& launch) override;
  void synchronize() override;
  double now_s() const override;
  DeviceState state() const override { return nvml_->state(); }
  void watch() const override { nvml_->watch(); }

  double energy_j() const override { return nvml_->energy_j(); }
  std::map<std::string, double> sentinel() override;

  /// The arena, for another process to open; throws DeviceError if CUDA IPC is not available.
  SharedArena share_arena() const;
  /// Another child of our parent also measures on this GPU, in turn with us; it does not count as
  /// foreign.
  void expect_partner();
  /// The next launches run on that many GPUs, this one is rank 0. Returns "", or why this machine
  /// cannot.
  std::string use_ranks(int count);
  /// Null before a case with several ranks.
  const Ranks* ranks() const { return ranks_.get(); }
  /// The floor and the context that were measured when the GPU was opened.
  const EventFloor& event_floor() const { return floor_; }
  const ContextDraw& context() const { return context_; }
  const Nvml& nvml() const { return *nvml_; }
  /// Restricts allocations from now on to one of `parts` equal parts of the arena. They are guarded
  /// and poisoned on `stream`, the stream of their launches.
  void work_in(int part, int parts, cudaStream_t stream) {
    arena_.confine(part, parts);
    work_stream_ = stream;
  }
  /// A timed window begins: memory is expected at the places of earlier launches.
  void begin_window() {
    is_timing_ = true;
    has_allocated_ = false;
  }
  /// Ends the window. True if memory was allocated at a new place.
  bool end_window() {
    is_timing_ = false;
    return has_allocated_;
  }
  /// Null if the profile is not trace, or if CUPTI is not available.
  CuptiTracer* tracer() { return profile_ == Profile::trace ? tracer_.get() : nullptr; }
  /// Workers of the profile trace write the code of what ran into this folder (kept_code.h).
  void keep_code_in(const std::string& folder) {
    if (code_) code_->keep_in(folder);
  }
  /// The code of what ran; null as the tracer is.
  CodeOf code_of() const;
  /// 0 if the profile has no arena.
  std::size_t arena_bytes() const { return arena_.bytes(); }
  cudaStream_t stream() const { return stream_; }
  int ordinal() const { return ordinal_; }

 private:
  struct EventPair {
    cudaEvent_t start, stop;
  };
  /// Readings of one hold's launches, by events and on the host.
  struct Held {
    std::vector<double> by_events_s, enqueue_s;   // per sample, nothing subtracted
    std::vector<std::vector<double>> starts_s{};  // per sample, of several ranks
    bool is_expired = false;
  };
  CudaDevice(int ordinal, Profile profile, bool is_guest, const SharedArena& arena,
             double known_chain_s, Laps* start);
  bool has_arena() const {
    return !is_guest_ && is_placing_ &&
           (profile_ == Profile::timing || profile_ == Profile::trace ||
            profile_ == Profile::counters);
  }
  void open_arena(const SharedArena& shared);
  void* allocate_for_rank(int ordinal, std::size_t bytes);
  void guard(void* memory, std::size_t bytes);
  std::vector<GuardBand> guarded();
  void read_digests();
  void refuse_persistence();
  bool has_ranks() const { return ranks_ && ranks_->count() > 1; }
  bool is_alone(const BlockPlan& plan) const;
  void evict(CacheState cache);
  void make_cold(const BlockPlan& plan);
  void hold(std::uint64_t watchdog_ns);
  /// False if the watchdog released it first. `rest_s`: pause of the GPUs before the launch.
  bool release_hold(double rest_s = 0);
  Held time_held(const Launch& launch, const BlockPlan& plan, int samples, int first);
  Held time_behind_hold(const Launch& launch, const BlockPlan& plan, int samples, int first);
  void enqueue_sample(const Launch& launch, const BlockPlan& plan, int i, bool is_traced,
                      Held& held);
  void run_batch(const Launch& launch, int batch);
  bool is_traced_sample(int number) const;  // `number` in the block
  int traced_samples(int samples) const;    // of `samples` samples
  int samples_per_hold(const BlockPlan& plan) const;
  bool hold_fewer(const BlockPlan& plan, int samples);
  void add_clock(BlockReading& reading);
  BlockReading time_by_events(const Launch& launch, const BlockPlan& plan);
  BlockReading time_by_host(const Launch& launch, const BlockPlan& plan);
  BlockReading time_by_trace(const Launch& launch, const BlockPlan& plan);
  Launch floor_kernel(const std::string& name);
  void calibrate_floor();
  void open_code();
  void open_tracer();
  void open_counters();

  int ordinal_;
  Profile profile_;
  bool is_guest_, is_placing_;  // is_placing_: tensors lie in an arena, in profiles that have one
  cudaDeviceProp properties_{};
  cudaStream_t stream_ = nullptr;
  cudaStream_t work_stream_ = nullptr;  // guards and poisons new memory
  std::unique_ptr<Nvml> nvml_;
  std::unique_ptr<LoadedCode> code_;  // of the profile trace; null: CUPTI refused
  std::unique_ptr<CuptiTracer> tracer_;
  std::unique_ptr<Ranks> ranks_;
  std::string no_tracer_;                    // why there is none
  std::unique_ptr<RangeProfiler> profiler_;  // of the profile counters
  std::string no_counters_;                  // why there is none
  Arena arena_;
  GuardBands guards_;
  void* arena_base_ = nullptr;
  double opened_s_ = 0;
  void* evict_buffer_ = nullptr;
  std::size_t evict_bytes_ = 0;
  HoldState* hold_ = nullptr;          // mapped host memory
  ClockReading* clocks_ = nullptr;     // two of them, mapped host memory
  GuardQuery* guard_query_ = nullptr;  // mapped host memory
  std::vector<EventPair> events_;
  DigestSums* digest_sums_ = nullptr;       // kDigestsMax of them, in the device's memory
  int digests_at_hand_ = 0;                 // enqueued, not yet read
  std::vector<Digest> digests_;             // already read
  double clock_cycles_ = 0, clock_ns_ = 0;  // of the current block
  int launches_per_hold_ = 1;               // of the current visit; 0: one, without a warm-up
                                            // launch
  EventFloor floor_;
  std::map<std::string, LatestReadings> floor_readings_;  // by the probe's kernel
  ContextDraw context_;
  std::mutex guard_mutex_;    // autograd and operators allocate on their own threads
  std::uint64_t placed_ = 0;  // key of the current placement
  bool has_placed_ = false;
  std::atomic<bool> is_poisoning_ = false, is_timing_ = false, has_allocated_ = false;
  int traced_blocks_ = 0;  // alternates which kind of launch is first
};

}  // namespace plumbline::cuda
