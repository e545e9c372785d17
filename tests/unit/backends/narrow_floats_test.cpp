/// Conversions for the CPU device's inputs, compared with LibTorch's.
#include "device/cpu/narrow_floats.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Float8_e4m3fn.h>
#include <c10/util/Float8_e5m2.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace plumbline {
namespace {

/// All finite numbers of a type, the midpoints between neighbours, and values just beside the
/// midpoints.
template <class T>
std::vector<float> corners(unsigned codes) {
  std::vector<float> values;
  for (unsigned code = 0; code + 1 < codes; ++code) {
    const float low = T(static_cast<decltype(T::x)>(code), T::from_bits());
    const float high = T(static_cast<decltype(T::x)>(code + 1), T::from_bits());
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    const float half = low + (high - low) / 2;
    values.insert(values.end(), {low, half, std::nextafter(half, low), std::nextafter(half, high)});
  }
  return values;
}

template <class T>
void agree(decltype(T::x) (*rounded)(double), unsigned codes) {
  const std::vector<float> values = corners<T>(codes);
  ASSERT_GT(values.size(), codes);  // both signs
  for (const float value : values) ASSERT_EQ(rounded(value), T(value).x) << value;
}

TEST(NarrowFloats, AreRoundedAsLibTorchRoundsThem) {
  agree<c10::Float8_e4m3fn>(float8_e4m3fn_bits, 256);
  agree<c10::Float8_e5m2>(float8_e5m2_bits, 256);
  agree<c10::BFloat16>(bfloat16_bits, 65536);
}

TEST(NarrowFloats, OfEightBitsEndAtTheLargest) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double beyond : {448.0, 465.0, 1e9, infinity}) {
    EXPECT_EQ(float8_e4m3fn_bits(beyond), 0x7e) << beyond;
    EXPECT_EQ(float8_e4m3fn_bits(-beyond), 0xfe) << beyond;
  }
  for (const double beyond : {57344.0, 61441.0, infinity})
    EXPECT_EQ(float8_e5m2_bits(beyond), 0x7b) << beyond;
  EXPECT_EQ(float8_e4m3fn_bits(std::nan("")), 0x7f);
  EXPECT_EQ(float8_e5m2_bits(std::nan("")), 0x7f);
}

}  // namespace
}  // namespace plumbline
