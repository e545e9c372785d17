/// A device's digests of memory: they show any change of bytes, and remaining poison.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "device/cpu/cpu_device.h"

namespace plumbline {
namespace {

Digest digest_of(CpuDevice& device, void* data, std::size_t bytes) {
  const MemorySpan span{data, bytes};
  device.digest({&span, 1});
  return device.take_digests().back();
}

TEST(Digest, ChangesWithEveryByteAndEveryExchange) {
  CpuDevice device;
  std::array<std::uint8_t, 37> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::uint8_t(3 * i);
  const Digest before = digest_of(device, bytes.data(), bytes.size());
  EXPECT_EQ(digest_of(device, bytes.data(), bytes.size()), before);
  for (std::uint8_t& byte : bytes) {
    byte ^= 0x10;
    EXPECT_NE(digest_of(device, bytes.data(), bytes.size()), before);
    byte ^= 0x10;
  }
  std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + 8);
  EXPECT_NE(digest_of(device, bytes.data(), bytes.size()), before);
}

TEST(Digest, CountsWhatIsLeftOfPoison) {
  CpuDevice device;
  std::array<float, 9> values{};
  const MemorySpan span{values.data(), sizeof values};
  device.poison({&span, 1});
  EXPECT_EQ(digest_of(device, values.data(), sizeof values).poisoned, 9u);
  values[4] = 1;
  EXPECT_EQ(digest_of(device, values.data(), sizeof values).poisoned, 8u);
}

TEST(Digest, OfSeveralPiecesDependsOnTheirOrderAndThoseOfSeveralLooksComeInTheirs) {
  CpuDevice device;
  std::uint64_t one = 1;
  std::uint64_t two = 2;
  const MemorySpan spans[] = {{&one, sizeof one}, {&two, sizeof two}};
  const MemorySpan exchanged[] = {spans[1], spans[0]};
  device.digest(spans);
  device.digest(exchanged);
  device.digest({&spans[1], 1});
  const std::vector<Digest> digests = device.take_digests();
  ASSERT_EQ(digests.size(), 3u);
  EXPECT_NE(digests[0], digests[1]);
  EXPECT_EQ(digests[2], digest_of(device, &two, sizeof two));
  EXPECT_TRUE(device.take_digests().empty());
}

}  // namespace
}  // namespace plumbline
