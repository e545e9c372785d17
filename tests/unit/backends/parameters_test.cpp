#include "backends/kernel/parameters.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using Kind = KernelParameter::Kind;
using Role = Argument::Role;

// As written by NVRTC 13.0 and Triton 3.6.
constexpr const char* kPtx = R"(
.visible .entry plain(
	.param .u64 plain_param_0,
	.param .u32 plain_param_1
)
{
}
.weak .entry _Z4allsPKf(
	.param .u8 a,
	.param .align 2 .b8 b[2],
	.param .f64 c,
	.param .u16 d,
	.param .align 16 .b8 e[32],
	.param .f32 f
)
{ ret; }
.visible .entry plain_longer()
{ }
.visible .entry triton(
	.param .u64 .ptr .global .align 1 triton_param_0,
	.param .u64 .ptr .global .align 1 triton_param_1
)
.reqntid 128
{ }
)";

TEST(KernelParameters, AreReadFromPtxWithTheirPlaces) {
  EXPECT_EQ(parameters_in_ptx(kPtx, "plain"),
            (std::vector<KernelParameter>{{0, 8, Kind::integral}, {8, 4, Kind::integral}}));
  EXPECT_EQ(parameters_in_ptx(kPtx, "_Z4allsPKf"),
            (std::vector<KernelParameter>{{0, 1, Kind::integral},
                                          {2, 2, Kind::unknown},
                                          {8, 8, Kind::floating},
                                          {16, 2, Kind::integral},
                                          {32, 32, Kind::unknown},
                                          {64, 4, Kind::floating}}));
  EXPECT_EQ(parameters_in_ptx(kPtx, "triton"),
            (std::vector<KernelParameter>{{0, 8, Kind::integral}, {8, 8, Kind::integral}}));
  EXPECT_EQ(parameters_in_ptx(kPtx, "plain_longer"), std::vector<KernelParameter>{});
  EXPECT_EQ(parameters_in_ptx(kPtx, "plai"), std::nullopt);
  EXPECT_EQ(entries_in_ptx(kPtx),
            (std::vector<std::string>{"plain", "_Z4allsPKf", "plain_longer", "triton"}));
}

Argument tensor(const char* name) { return {name, "randn[n]", Role::input, ""}; }
Argument scalar(const char* name, const char* type) { return {name, "n", Role::scalar, type}; }

/// void scale(const float* x, float* y, int n, float factor)
std::string scale_mismatch(const std::vector<Argument>& arguments, DType x = DType::float32,
                           const std::string& symbol = "_Z5scalePKfPfif") {
  std::vector<std::optional<DType>> types(arguments.size());
  if (!types.empty()) types[0] = x;
  return mismatch(arguments, types,
                  {{0, 8, Kind::integral},
                   {8, 8, Kind::integral},
                   {16, 4, Kind::integral},
                   {20, 4, Kind::floating}},
                  symbol);
}

TEST(KernelParameters, AFittingDeclarationIsAccepted) {
  const std::vector<Argument> right{tensor("x"), tensor("y"), scalar("n", "int32"),
                                    scalar("factor", "float32")};
  EXPECT_EQ(scale_mismatch(right), "");
  EXPECT_EQ(scale_mismatch(right, DType::float32, "scale"), "");
}

TEST(KernelParameters, TheirNumberIsTold) {
  EXPECT_EQ(scale_mismatch({tensor("x"), tensor("y"), scalar("n", "int32")}),
            "the kernel has 4 parameters (_Z5scalePKfPfif), 'args' declares 3: x, y, n");
}

TEST(KernelParameters, ATensorOfAnotherTypeIsFoundByTheKernelsName) {
  const std::vector<Argument> right{tensor("x"), tensor("y"), scalar("n", "int32"),
                                    scalar("factor", "float32")};
  EXPECT_EQ(scale_mismatch(right, DType::float16),
            "parameter 1 of the kernel is float const*, args.x is a tensor of float16");
  EXPECT_EQ(scale_mismatch(right, DType::float16, "_Z5scalePK6__halfPfif"), "");
  EXPECT_EQ(scale_mismatch(right, DType::float16, "_Z5scalePKvPfif"), "");  // it may be any type
}

TEST(KernelParameters, AScalarOfAnotherTypeIsFoundBySizeOrKind) {
  EXPECT_EQ(
      scale_mismatch({tensor("x"), tensor("y"), scalar("n", "int64"), scalar("factor", "float32")}),
      "parameter 3 of the kernel is int, args.n is of type int64");
  EXPECT_EQ(scale_mismatch(
                {tensor("x"), tensor("y"), scalar("n", "float32"), scalar("factor", "float32")},
                DType::float32, "scale"),
            "parameter 3 of the kernel is an integer or a pointer of 4 bytes, args.n is of type "
            "float32");
  EXPECT_EQ(
      scale_mismatch({tensor("x"), tensor("y"), scalar("n", "int32"), scalar("factor", "int32")},
                     DType::float32, "scale"),
      "parameter 4 of the kernel is a floating-point number of 4 bytes, args.factor is of "
      "type int32");
}

TEST(KernelParameters, NumbersOfHalfPrecisionAreToldApartByTheKernelsName) {
  // template <class T> void k(T factor), as NVRTC passes a struct of two bytes
  const std::vector<KernelParameter> two_bytes{{0, 2, Kind::unknown}};
  const auto found = [&](const char* type, const char* symbol) {
    return mismatch({scalar("factor", type)}, {std::nullopt}, two_bytes, symbol);
  };
  EXPECT_EQ(found("float16", "_Z1kI6__halfEvT_"), "");
  EXPECT_EQ(found("bfloat16", "_Z1kI13__nv_bfloat16EvT_"), "");
  EXPECT_EQ(found("float16", "k"), "");  // extern "C": the name does not tell
  EXPECT_EQ(found("bfloat16", "_Z1kI6__halfEvT_"),
            "parameter 1 of the kernel is __half, args.factor is of type bfloat16");
  EXPECT_EQ(found("int16", "_Z1kI6__halfEvT_"),
            "parameter 1 of the kernel is __half, args.factor is of type int16");
  EXPECT_EQ(found("float32", "_Z1kI6__halfEvT_"),
            "parameter 1 of the kernel is __half, args.factor is of type float32");
}

TEST(KernelParameters, ATensorAndANumberAreNotTakenForEachOther) {
  EXPECT_EQ(scale_mismatch({tensor("x"), scalar("y", "int64"), scalar("n", "int32"),
                            scalar("factor", "float32")}),
            "parameter 2 of the kernel is float*, args.y is of type int64");
  EXPECT_EQ(mismatch({tensor("x")}, {DType::float32}, {{0, 8, Kind::integral}}, "_Z1kx"),
            "parameter 1 of the kernel is long long, args.x is a tensor of float32");
}

TEST(KernelParameters, APlaceThatDoesNotFollowFromTheTypesIsToldWithoutPtxToo) {
  EXPECT_EQ(mismatch({scalar("a", "int32"), scalar("b", "int32")}, {std::nullopt, std::nullopt},
                     {{0, 4, Kind::unknown}, {8, 4, Kind::unknown}}, "k"),
            "parameter 2 of the kernel lies at byte 8, args.b at 4");
}

TEST(KernelParameters, TypesWithCommasAndFunctionsInThemAreOneParameterEach) {
  // template <class T> void k(Pair<int, T>* x, int (*f)(int, int), long n), T = float
  EXPECT_EQ(mismatch({tensor("x"), tensor("f"), scalar("n", "int32")},
                     {DType::float32, std::nullopt, std::nullopt},
                     {{0, 8, Kind::integral}, {8, 8, Kind::integral}, {16, 8, Kind::integral}},
                     "_Z1kIfEvP4PairIiT_EPFiiiEl"),
            "parameter 3 of the kernel is long, args.n is of type int32");
}

}  // namespace
}  // namespace plumbline
