/// Operators' own threads take and give back memory while the device moves and checks it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "device/cpu/cpu_device.h"

namespace plumbline {
namespace {

constexpr std::size_t kBytes = 4096;

/// Takes memory, fills it and gives it back until `is_over`. Adds to `damaged` what others wrote
/// there.
void use_memory(CpuDevice& device, char pattern, const std::atomic<bool>& is_over,
                std::atomic<int>& damaged) {
  const std::vector<char> expected(kBytes, pattern);
  while (!is_over) {
    void* const memory = device.allocate(kBytes);
    if (memory == nullptr) continue;
    std::memset(memory, pattern, kBytes);
    if (std::memcmp(memory, expected.data(), kBytes) != 0) ++damaged;
    device.release(memory);
  }
}

TEST(AllocatingThreads, KeepTheirMemoryWhileTheDeviceMovesAndChecksIt) {
  CpuDevice device;
  std::atomic<bool> is_over = false;
  std::atomic<int> damaged = 0;
  std::vector<std::thread> threads;
  for (const char pattern : {'a', 'b', 'c'})
    threads.emplace_back([&, pattern] { use_memory(device, pattern, is_over, damaged); });
  std::string overrun;
  for (std::uint64_t key = 0; key < 2000 && overrun.empty(); ++key) {
    device.place(key);
    device.poison_allocations(true);
    overrun = device.overrun();
    device.poison_allocations(false);
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(overrun, "");
  EXPECT_EQ(damaged, 0);
}

}  // namespace
}  // namespace plumbline
