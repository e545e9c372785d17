#include "core/op/scalar_argument.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/error.h"

namespace plumbline {
namespace {

unsigned bits(const char* type, double number) {
  const auto bytes = scalar_bytes(*scalar_type_named(type), number);
  if (!bytes) return ~0U;
  unsigned value = 0;
  std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

// Bits from PyTorch 2.12: torch.tensor(x, dtype=...).view(torch.int16).
TEST(ScalarArgument, NumbersOfHalfPrecisionHaveTheirBits) {
  EXPECT_EQ(bits("float16", 2), 0x4000U);
  EXPECT_EQ(bits("float16", -0.1), 0xae66U);
  EXPECT_EQ(bits("float16", 65504), 0x7bffU);
  EXPECT_EQ(bits("float16", 5.9604644775390625e-08), 0x0001U);  // the smallest
  EXPECT_EQ(bits("float16", 6.097555160522461e-05), 0x03ffU);   // the largest subnormal
  EXPECT_EQ(bits("float16", 6.1035e-05), 0x0400U);
  EXPECT_EQ(bits("float16", 0), 0U);
  EXPECT_EQ(bits("float16", -0.0), 0x8000U);
  EXPECT_EQ(bits("bfloat16", 2), 0x4000U);
  EXPECT_EQ(bits("bfloat16", 0.1), 0x3dcdU);
  EXPECT_EQ(bits("bfloat16", 1e-40), 0x0001U);
  EXPECT_EQ(bits("float8_e4m3fn", 448), 0x7eU);
  EXPECT_EQ(bits("float8_e4m3fn", -2), 0xc0U);
  EXPECT_EQ(bits("float8_e5m2", 57344), 0x7bU);
  EXPECT_EQ(bits("float8_e5m2", 0.1), 0x2eU);
}

TEST(ScalarArgument, TiesGoToTheEvenNumberAndMayRaiseTheExponent) {
  EXPECT_EQ(bits("float16", 1 + 0x1p-11), 0x3c00U);
  EXPECT_EQ(bits("float16", 1 + 3 * 0x1p-11), 0x3c02U);
  EXPECT_EQ(bits("float16", 2 - 0x1p-11), 0x4000U);
  EXPECT_EQ(bits("bfloat16", 1 + 0x1p-8), 0x3f80U);
}

TEST(ScalarArgument, ANumberBeyondTheLargestIsAMistake) {
  EXPECT_EQ(scalar_mistake(*scalar_type_named("float16"), std::int64_t{65505}),
            "is 65505, an integer; float16 is a number from -65504 to 65504");
  EXPECT_EQ(bits("float8_e4m3fn", 449), ~0U);
  EXPECT_EQ(bits("bfloat16", 3.4e38), ~0U);
  EXPECT_EQ(bits("bfloat16", std::nan("")), ~0U);
}

TEST(ScalarArgument, ItsTypeIsItsOwnOrTheOneThatAParameterHolds) {
  const auto type = [](const char* name) {
    const Argument argument{"a", "1", Argument::Role::scalar, name};
    return scalar_type_of(argument, {{"dtype", "bfloat16"}, {"acc", "float32"}, {"n", true}}).name;
  };
  EXPECT_EQ(type("uint16"), "uint16");
  EXPECT_EQ(type("float16"), "float16");
  EXPECT_EQ(type(""), "bfloat16");
  EXPECT_EQ(type("dtype"), "bfloat16");
  EXPECT_EQ(type("acc"), "float32");
  EXPECT_THROW(type("n"), Error);
}

}  // namespace
}  // namespace plumbline
