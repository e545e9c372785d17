#include "core/expression/generated_tensor.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace plumbline {
namespace {

const Params kParams{{"n", std::int64_t{8}}, {"dtype", "float16"}};

GeneratedTensor tensor_of(const char* text) {
  return generated_tensor(*parse_expression(text), kParams);
}

std::string mistake_in(const char* text) {
  try {
    tensor_of(text);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(GeneratedTensor, HasAShapeATypeAndBounds) {
  const GeneratedTensor normal = tensor_of("randn[n, 2 * n]");
  EXPECT_EQ(normal.generator, Generator::randn);
  EXPECT_EQ(normal.shape, (std::vector<std::int64_t>{8, 16}));
  EXPECT_EQ(normal.dtype, DType::float16);
  const GeneratedTensor drawn = tensor_of("randint(-1, n)[]");
  EXPECT_TRUE(drawn.shape.empty());
  EXPECT_EQ(drawn.dtype, DType::int64);
  EXPECT_EQ(drawn.low, -1);
  EXPECT_EQ(drawn.high, 8);
  EXPECT_EQ(tensor_of("ones(dtype='float64')[0]").dtype, DType::float64);
}

TEST(GeneratedTensor, TellsTheColumnAndTheValueOfWhatDoesNotFit) {
  EXPECT_EQ(mistake_in("randn[2, n - 12]"), "column 10: this size is -4; a size is never negative");
  EXPECT_EQ(mistake_in("randn[1 // (n - 8)]"), "column 7: division by zero");
  EXPECT_EQ(mistake_in("randint(9, n)[n]"),
            "column 1: found randint(9, 8); randint needs low < high");
  EXPECT_EQ(mistake_in("randn(3)[n]"), "column 1: randn takes no numbers");
  EXPECT_EQ(mistake_in("randn[n / 16]"), "column 7: found 0.5, expected an integer");
}

TEST(ShapeOf, TakesAListOfSizes) {
  EXPECT_EQ(shape_of(*parse_expression("[n, 0]"), kParams), (std::vector<std::int64_t>{8, 0}));
  EXPECT_THROW(shape_of(*parse_expression("n"), kParams), Error);
  EXPECT_THROW(shape_of(*parse_expression("[n - 9]"), kParams), Error);
}

}  // namespace
}  // namespace plumbline
