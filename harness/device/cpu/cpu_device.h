/// The host's processor: launches run synchronously and are timed by the host's clock.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "device/arena.h"
#include "device/device.h"
#include "device/guard_bands.h"

namespace plumbline {

class CpuDevice final : public Device {
 public:
  CpuDevice();

  Environment environment() const override;
  TimeMetrics time_metrics(const Policy& policy, bool is_holdable) const override;
  TimerFloor timer_floor() const override { return {}; }
  double age_s() const override { return now_s() - opened_s_; }
  void place(std::uint64_t key) override;
  std::string overrun() override;
  void begin_launch() override { arena_.begin_launch(); }
  void* allocate(std::size_t bytes) override;
  void release(void* address) override { arena_.release(address); }
  void poison_allocations(bool on) override;
  void poison(std::span<const MemorySpan> spans) override;
  void digest(std::span<const MemorySpan> spans) override;
  std::vector<Digest> take_digests() override { return std::exchange(digests_, {}); }
  void fill(const Buffer& buffer, std::uint64_t seed, const Distribution&) override;
  BlockReading time_block(const Launch& launch, const BlockPlan& plan) override;
  bool can_be_held(const Launch&) override { return true; }
  void synchronize() override {}
  double now_s() const override;
  DeviceState state() const override;

  std::size_t arena_bytes() const { return arena_.bytes(); }

 private:
  void guard_far(void* memory, std::size_t bytes);

  Arena arena_;
  GuardBands guards_;
  std::mutex guard_mutex_;  // autograd and operators allocate on their own threads
  double opened_s_ = 0;
  std::vector<Digest> digests_;
  std::uint64_t placed_ = 0;  // key of the current placement
  bool has_placed_ = false;
  std::atomic<bool> is_poisoning_ = false, is_timing_ = false, has_allocated_ = false;
};

}  // namespace plumbline
