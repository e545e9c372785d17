/// Number formats of blocks with a scale, by hand: OCP Microscaling Formats 1.0, tables 1, 2, 5 and
/// 7, and NVIDIA's NVFP4.
#include "ops/block_scales.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "against_reference.h"

namespace plumbline {
namespace {

at::Tensor bytes(const std::vector<std::int64_t>& values) {
  return at::tensor(values).to(at::kByte);
}

double number(const at::Tensor& tensor) { return tensor.item<double>(); }

/// The value of one byte in a type of 8 bits.
double decoded(std::int64_t byte, at::ScalarType type) {
  return number(bytes({byte}).view(type).to(at::kDouble));
}

TEST(BlockScales, AScaleOfE8M0IsAPowerOfTwo) {
  const at::Tensor found = of_e8m0(bytes({0, 1, 126, 127, 128, 254, 255}));
  const std::vector<double> expected{0x1p-127, 0x1p-126, 0.5, 1, 2, 0x1p127};
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(number(found[i]), expected[std::size_t(i)]) << i;
  EXPECT_TRUE(std::isnan(number(found[6])));
  // LibTorch decodes them alike.
  for (std::int64_t code = 0; code < 255; ++code)
    EXPECT_EQ(decoded(code, at::kFloat8_e8m0fnu), number(of_e8m0(bytes({code}))[0])) << code;
}

TEST(BlockScales, AnElementOfE2M1IsOneOfSixteen) {
  const std::vector<double> sizes{0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (std::int64_t code = 0; code < 16; ++code) {
    const double found = number(of_e2m1(bytes({code}))[0]);
    EXPECT_EQ(found, (code < 8 ? 1 : -1) * sizes[std::size_t(code % 8)]) << code;
    EXPECT_EQ(std::signbit(found), code >= 8) << code;  // -0 too
  }
}

TEST(BlockScales, ElementsOfEightBitsHaveTheFormatsCorners) {
  EXPECT_EQ(decoded(0x7e, at::kFloat8_e4m3fn), 448);
  EXPECT_EQ(decoded(0xfe, at::kFloat8_e4m3fn), -448);
  EXPECT_EQ(decoded(0x08, at::kFloat8_e4m3fn), 0x1p-6);  // smallest normal
  EXPECT_EQ(decoded(0x01, at::kFloat8_e4m3fn), 0x1p-9);  // smallest subnormal
  EXPECT_TRUE(std::isnan(decoded(0x7f, at::kFloat8_e4m3fn)));
  EXPECT_EQ(decoded(0x7b, at::kFloat8_e5m2), 57344);
  EXPECT_EQ(decoded(0x04, at::kFloat8_e5m2), 0x1p-14);
  EXPECT_EQ(decoded(0x01, at::kFloat8_e5m2), 0x1p-16);
  EXPECT_TRUE(std::isinf(decoded(0x7c, at::kFloat8_e5m2)));
  EXPECT_TRUE(std::isnan(decoded(0x7d, at::kFloat8_e5m2)));
}

TEST(BlockScales, TheFirstOfTwoCodesIsTheLowerHalfOfAByte) {
  EXPECT_TRUE(
      at::equal(unpacked(bytes({0x21, 0x43}).view({1, 2})), bytes({1, 2, 3, 4}).view({1, 4})));
}

/// cuBLAS: offset = (row mod 32) * 16 + (row / 32) * 4 + column in a tile of 512 bytes.
TEST(BlockScales, TensorCoresReadScalesInTiles) {
  const std::int64_t rows = 200, columns = 6;
  const at::Tensor scale = at::zeros({rows, columns}, at::kByte);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) scale[i][j] = 1 + (7 * i + 31 * j) % 251;
  const at::Tensor tiles = in_tiles(scale);
  ASSERT_EQ(tiles.numel(), 256 * 8);
  at::Tensor left = tiles.clone();
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t tile = i / 128 * 2 + j / 4, row = i % 128;
      const std::int64_t at = tile * 512 + row % 32 * 16 + row / 32 * 4 + j % 4;
      ASSERT_EQ(number(tiles[at]), number(scale[i][j])) << i << ' ' << j;
      left[at] = 0;
    }
  EXPECT_EQ(number(left.sum()), 0) << "padding is 0";
}

/// What the op's own reference and LibTorch's function make of given inputs.
struct Product {
  double reference, libtorch;
};

Product product(const std::string& op, const std::string& params, const Tensors& inputs) {
  const Case subject = case_of({op, params}, DType::bfloat16, false);
  const Problem problem(subject);
  const Prepared prepared = find_implementation(op, "libtorch")(problem, {inputs, {}});
  prepared.launch();
  const Tensors expected = find_definition(op)->reference(problem, exact_inputs({inputs, {}})).all;
  return {number(expected[0]), number(prepared.results()[0])};
}

/// A row of zeros with two other elements, one in each block.
at::Tensor row(std::int64_t k, std::int64_t first, std::int64_t second) {
  at::Tensor codes = at::zeros({1, k}, at::kByte);
  codes[0][3] = first;
  codes[0][k / 2 + 5] = second;
  return codes;
}

TEST(BlockScales, AProductOfMxfp8ByHand) {
  const at::Tensor a = row(64, 0x7e, 0x01).view(at::kFloat8_e4m3fn);  // 448, 2^-9
  const at::Tensor b = row(64, 0x38, 0xb8).view(at::kFloat8_e4m3fn);  // 1, -1
  const auto scales = [](std::int64_t first, std::int64_t second) {
    return bytes({first, second}).view({1, 2});
  };
  // 448 * 2^-1 * 2^2 - 2^-9 * 2^8 * 2^3
  const Product found =
      product("mxfp8_gemm", "m=1 n=1 k=64", {a, b, scales(126, 135), scales(129, 130)});
  EXPECT_EQ(found.reference, 896 - 4);
  EXPECT_EQ(found.libtorch, 892);
  // The largest and the smallest scale cancel.
  const Product corner =
      product("mxfp8_gemm", "m=1 n=1 k=64", {b, b, scales(254, 0), scales(0, 127)});
  EXPECT_EQ(corner.reference, 1 + 0x1p-127);
  EXPECT_EQ(corner.libtorch, 1);
  const Product not_a_number =
      product("mxfp8_gemm", "m=1 n=1 k=64", {a, b, scales(255, 127), scales(127, 127)});
  EXPECT_TRUE(std::isnan(not_a_number.reference));
  EXPECT_TRUE(std::isnan(not_a_number.libtorch));
}

TEST(BlockScales, AProductOfNvfp4ByHand) {
  at::Tensor a = at::zeros({1, 16}, at::kByte), b = at::zeros({1, 16}, at::kByte);
  a[0][2] = 0x70;  // element 5 of block 0: 6
  b[0][2] = 0x90;  // -0.5
  a[0][8] = 0x0d;  // element 0 of block 1: -3
  b[0][8] = 0x05;  // 3
  const auto scales = [](std::int64_t first, std::int64_t second) {
    return bytes({first, second}).view({1, 2}).view(at::kFloat8_e4m3fn);
  };
  const at::Tensor half = at::full({}, 0.5F), four = at::full({}, 4.0F);
  // (6 * -0.5 * 448 * 1 - 3 * 3 * 1 * 2^-6) * 0.5 * 4
  const Product found = product("nvfp4_gemm", "m=1 n=1 k=32",
                                {a, b, scales(0x7e, 0x38), scales(0x38, 0x08), half, four});
  EXPECT_EQ(found.reference, (-1344 - 9 * 0x1p-6) * 2);
  EXPECT_EQ(found.libtorch, -2688);
}

TEST(BlockScales, AnOlderGpuIsTheReasonAndWhatIsNeeded) {
  EXPECT_EQ(lack_of_block_scales("products of MXFP8", 9, 0),
            "products of MXFP8 need tensor cores of compute capability 10.0 or newer (Blackwell); "
            "this device has 9.0");
  EXPECT_EQ(lack_of_block_scales("products of MXFP8", 10, 0), "");
  EXPECT_EQ(lack_of_block_scales("products of MXFP8", 12, 1), "");
}

TEST(BlockScales, ACpuMultipliesAndNeedsNoTensorCores) {
  for (const std::string op : {"mxfp8_gemm", "nvfp4_gemm"}) {
    const Comparison found =
        against_reference(case_of({op, "m=7 n=19 k=224"}, DType::float16, false));
    EXPECT_LE(error_of(found.results[0], found.expected[0]), found.tolerance);
  }
}

}  // namespace
}  // namespace plumbline
