/// The host's processor: launches run when they are called and are timed by the host's clock.
#pragma once

#include "device/arena.h"
#include "device/device.h"

namespace plumbline {

class CpuDevice final : public Device {
 public:
  CpuDevice();

  Environment environment() const override;
  std::vector<TimeMetric> time_metrics(const std::vector<std::string>& cache,
                                       bool is_holdable) const override;
  double timer_floor_s() const override { return 0; }
  void place(std::uint64_t key) override { arena_.place(key); }
  void begin_launch() override { arena_.begin_launch(); }
  void* allocate(std::size_t bytes) override;
  void release(void* address) override { arena_.release(address); }
  void poison_allocations(bool on) override { is_poisoning_ = on; }
  void fill(const Buffer& buffer, std::uint64_t seed, const Distribution&) override;
  BlockReading time_block(const Launch& launch, const BlockPlan& plan) override;
  bool can_be_held(const Launch&) override { return true; }
  void synchronize() override {}
  double now_s() const override;
  DeviceState state() const override;

 private:
  Arena arena_;
  bool is_poisoning_ = false;
};

}  // namespace plumbline
