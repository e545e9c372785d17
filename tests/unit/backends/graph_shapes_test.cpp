/// Shapes that contradict an operation of a graph are refused without a GPU: by this project where
/// cudnn-frontend would crash or not notice, by cudnn-frontend, or by cuDNN. Each message has the
/// operation and the shapes of its tensors.
#include <gtest/gtest.h>

#include "backends/cudnn/graph/frontend.h"
#include "backends/implementation.h"
#include "core/error.h"

namespace plumbline::cudnn {
namespace {

/// "validate: operation 0 (…)" without cuDNN's own words: who refuses, and which operation.
std::string without_words(const std::string& said) {
  const auto call = said.find(", "), end_of_call = said.find(" of 'g': "), where = said.rfind("; ");
  if (!said.starts_with("cuDNN ") || end_of_call == said.npos || where == said.npos) return said;
  return said.substr(call + 2, end_of_call - call - 2) + ": " + said.substr(where + 2);
}

/// The message for a graph; "" if it is accepted.
std::string mistake(const std::vector<std::string>& tensors,
                    const std::vector<std::string>& nodes) {
  const auto joined = [](const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
  };
  try {
    FrontendGraph::checked_operands(
        R"({"context": {"name": "g", "io_data_type": "HALF", "intermediate_data_type": "FLOAT",
            "compute_data_type": "FLOAT"}, "tensors": {)" +
            joined(tensors) + "}, \"nodes\": [" + joined(nodes) + "]}",
        /*compute_capability=*/90);
  } catch (const Error& error) {
    return without_words(error.what());
  } catch (const Unsupported& error) {
    return "unsupported: " + without_words(error.what());
  }
  return "";
}

/// A contiguous tensor of these sizes.
std::string tensor(const std::string& name, const std::vector<int>& dims,
                   const std::string& more = "") {
  std::string sizes, strides;
  long stride = 1;
  for (auto size = dims.rbegin(); size != dims.rend(); ++size) {
    const std::string comma = sizes.empty() ? "" : ", ";
    sizes = std::to_string(*size) + comma + sizes;
    strides = std::to_string(stride) + comma + strides;
    stride *= *size;
  }
  return "\"" + name + "\": {\"dim\": [" + sizes + "], \"stride\": [" + strides + "]" +
         (more.empty() ? "" : ", " + more) + "}";
}

std::string inside(const std::string& name) { return "\"" + name + "\": {\"is_virtual\": true}"; }
std::string result(const std::string& name) { return "\"" + name + "\": {}"; }

std::string node(const std::string& tag, const std::string& inputs, const std::string& outputs,
                 const std::string& more = "") {
  return "{\"tag\": \"" + tag + "\"" + (more.empty() ? "" : ", " + more) + ", \"inputs\": {" +
         inputs + "}, \"outputs\": {" + outputs + "}}";
}

std::string product(const std::string& written = "y") {
  return node("MATMUL", R"("A": "a", "B": "b")", "\"C\": \"" + written + "\"");
}

TEST(GraphShapes, AResultHasTheSizesThatItsOperationGivesIt) {
  EXPECT_EQ(mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 2}), tensor("y", {1, 4, 2})},
                    {product()}),
            "");
  EXPECT_EQ(mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 2}), tensor("y", {1, 4, 3})},
                    {product()}),
            "create_operation: operation 0 (MATMUL): A [1, 4, 8], B [1, 8, 2], C [1, 4, 3]");
  EXPECT_EQ(mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 2}),
                     tensor("p", {1, 5, 2}, R"("is_virtual": true)"), result("y")},
                    {product("p"), node("POINTWISE", R"("IN_0": "p")", R"("OUT_0": "y")",
                                        R"("mode": "RELU_FWD")")}),
            "create_operation: operation 0 (MATMUL): A [1, 4, 8], B [1, 8, 2], C [1, 5, 2]");
}

TEST(GraphShapes, FollowThroughTensorsThatAreGivenNone) {
  const auto with_bias = [&](const std::vector<int>& bias) {
    return mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 64}), inside("p"),
                    tensor("bias", bias), result("y")},
                   {product("p"), node("POINTWISE", R"("IN_0": "p", "IN_1": "bias")",
                                       R"("OUT_0": "y")", R"("mode": "ADD")")});
  };
  EXPECT_EQ(with_bias({1, 1, 64}), "");
  EXPECT_EQ(with_bias({1, 1, 63}),
            "validate: operation 1 (POINTWISE): IN_0 [1, 4, 64], IN_1 [1, 1, 63]");
  EXPECT_EQ(with_bias({1, 64}),
            "operation 1 (POINTWISE): IN_1 [1, 64] has another number of dimensions than IN_0 "
            "[1, 4, 64]");
}

TEST(GraphShapes, ProductsHaveMatricesAndBatchesThatFit) {
  EXPECT_EQ(mistake({tensor("a", {8}), tensor("b", {8}), result("y")}, {product()}),
            "operation 0 (MATMUL): A [8] has fewer than 2 dimensions");
  EXPECT_EQ(mistake({tensor("a", {3, 4, 8}), tensor("b", {2, 8, 4}), result("y")}, {product()}),
            "create_operation: operation 0 (MATMUL): A [3, 4, 8], B [2, 8, 4], C [3, 4, 4]");
  EXPECT_EQ(mistake({tensor("a", {3, 4, 8}), tensor("b", {1, 8, 4}), tensor("y", {3, 4, 4})},
                    {product()}),
            "");
}

TEST(GraphShapes, ConvolutionsAndTheirGradientsFit) {
  const std::string window =
      R"("pre_padding": [1, 1], "post_padding": [1, 1], "stride": [2, 2], "dilation": [1, 1])";
  const auto forward = [&](const std::vector<int>& weight, const std::string& y) {
    return mistake({tensor("x", {2, 8, 6, 6}), tensor("w", weight), y},
                   {node("CONV_FPROP", R"("X": "x", "W": "w")", R"("Y": "y")", window)});
  };
  EXPECT_EQ(forward({16, 8, 3, 3}, tensor("y", {2, 16, 3, 3})), "");
  EXPECT_EQ(forward({16, 8, 3, 3}, tensor("y", {2, 16, 6, 6})),
            "create_operation: operation 0 (CONV_FPROP): W [16, 8, 3, 3], X [2, 8, 6, 6], Y "
            "[2, 16, 6, 6]");
  EXPECT_EQ(forward({16, 8, 9, 9}, result("y")),
            "create_operation: operation 0 (CONV_FPROP): W [16, 8, 9, 9], X [2, 8, 6, 6], Y "
            "[2, 16, 1, 1]");
  const auto gradient = [&](const std::string& dx) {
    return mistake({tensor("dy", {2, 16, 3, 3}), tensor("w", {16, 8, 3, 3}), dx},
                   {node("CONV_DGRAD", R"("DY": "dy", "W": "w")", R"("DX": "dx")", window)});
  };
  EXPECT_EQ(gradient(tensor("dx", {2, 8, 6, 6})), "");
  EXPECT_EQ(gradient(tensor("dx", {2, 8, 5, 5})), "") << "of an odd size";
  EXPECT_EQ(gradient(result("dx")),
            "validate: operation 0 (CONV_DGRAD): DY [2, 16, 3, 3], W [16, 8, 3, 3]");
  EXPECT_EQ(gradient(tensor("dx", {2, 8, 9, 9})),
            "create_operation: operation 0 (CONV_DGRAD): DY [2, 16, 3, 3], W [16, 8, 3, 3], DX "
            "[2, 8, 9, 9]");
  EXPECT_EQ(mistake({tensor("dy", {2, 16, 3, 3}), tensor("x", {2, 8, 6, 6}), result("dw")},
                    {node("CONV_WGRAD", R"("DY": "dy", "X": "x")", R"("DW": "dw")", window)}),
            "operation 0 (CONV_WGRAD): it writes 'dw', whose dimensions do not follow from what "
            "it reads; it lacks 'dim' and 'stride'");
}

TEST(GraphShapes, PoolingHasAWindowWithinTheImage) {
  const auto pooled = [&](const std::string& window, const std::string& y) {
    return mistake({tensor("x", {2, 8, 6, 6}), y},
                   {node("RESAMPLE", R"("X": "x")", R"("Y": "y")",
                         R"("resample_mode": "MAXPOOL", "padding_mode": "NEG_INF_PAD",
    "generate_index": false, "stride": [2, 2], "pre_padding": [0, 0], "post_padding": [0, 0],
    "window": )" + window)});
  };
  EXPECT_EQ(pooled("[2, 2]", tensor("y", {2, 8, 3, 3})), "");
  EXPECT_EQ(pooled("[2, 2]", tensor("y", {2, 8, 2, 3})),
            "create_operation: operation 0 (RESAMPLE): X [2, 8, 6, 6], Y [2, 8, 2, 3]");
  EXPECT_EQ(pooled("[7, 2]", result("y")),
            "operation 0 (RESAMPLE): X [2, 8, 6, 6], Y [2, 8, 1, 3]: the window of 7 is larger "
            "than the padded image, 6");
}

TEST(GraphShapes, OperationsThatRearrangeKeepWhatThereIs) {
  const auto one = [&](const std::string& tag, const std::string& more, const std::string& y) {
    return mistake({tensor("x", {4, 64, 2}), y}, {node(tag, R"("X": "x")", R"("Y": "y")", more)});
  };
  EXPECT_EQ(one("SLICE", R"("slices": [[0, 4], [0, 64], [1, 2]])", tensor("y", {4, 64, 1})), "");
  EXPECT_EQ(one("SLICE", R"("slices": [[0, 4], [0, 65], [1, 2]])", result("y")),
            "operation 0 (SLICE): X [4, 64, 2]: 'slices' is [[0,4],[0,65],[1,2]]; it has [first, "
            "end] for each dimension of X, and none ends beyond it");
  EXPECT_EQ(one("RESHAPE", "", tensor("y", {4, 128, 1})), "");
  for (const char* permutation : {"[1, 1, 2]", "[1, 0, 7]", "[1, 0]"})
    EXPECT_EQ(one("TRANSPOSE", "\"permutation\": " + std::string(permutation), result("y")),
              "validate: operation 0 (TRANSPOSE): X [4, 64, 2]")
        << permutation;
  EXPECT_EQ(one("RESHAPE", "", tensor("y", {4, 127, 1})),
            "create_operation: operation 0 (RESHAPE): X [4, 64, 2], Y [4, 127, 1]");
  EXPECT_EQ(one("REDUCTION", R"("mode": "ADD")", tensor("y", {1, 64, 1})), "");
  EXPECT_EQ(mistake({tensor("x", {4, 64, 2}), tensor("z", {4, 3, 2}), tensor("y", {4, 66, 2})},
                    {node("CONCATENATE", R"("0": "x", "1": "z")", R"("Y": "y")", "\"axis\": 1")}),
            "create_operation: operation 0 (CONCATENATE): 0 [4, 64, 2], 1 [4, 3, 2], Y "
            "[4, 66, 2]");
}

TEST(GraphShapes, WhatWouldEndTheProcessIsRefused) {
  const auto joined = [&](const std::string& axis) {
    return mistake(
        {tensor("x", {4, 64, 2}), tensor("z", {4, 3, 2}), result("y")},
        {node("CONCATENATE", R"("0": "x", "1": "z")", R"("Y": "y")", "\"axis\": " + axis)});
  };
  for (const char* axis : {"3", "-1", "300000000"})
    EXPECT_EQ(joined(axis), "operation 0 (CONCATENATE): 0 [4, 64, 2], 1 [4, 3, 2]: 'axis' is " +
                                std::string(axis) + "; it is a dimension, numbered from 0");
  EXPECT_EQ(mistake({tensor("x", {4, 64, 2}), result("y")},
                    {node("RESHAPE", R"("X": "x")", R"("Y": "y")")}),
            "operation 0 (RESHAPE): it writes 'y', whose dimensions do not follow from what it "
            "reads; it lacks 'dim' and 'stride'");
  EXPECT_EQ(mistake({tensor("x", {4, 64}), result("s"), result("y")},
                    {node("BLOCK_SCALE_QUANTIZE", R"("X": "x")", R"("Y": "y", "scale": "s")",
                          "\"block_size\": 0")}),
            "operation 0 (BLOCK_SCALE_QUANTIZE): X [4, 64]: 'block_size' is 0; it is 1 or more");
}

/// cuDNN has plans for it, but they write something else.
TEST(GraphShapes, APointwiseOperationWritesAllThatItReads) {
  const auto written = [&](const std::vector<int>& dims) {
    return mistake(
        {tensor("x", {1, 4, 8}), tensor("b", {1, 1, 8}), tensor("y", dims)},
        {node("POINTWISE", R"("IN_0": "b", "IN_1": "x")", R"("OUT_0": "y")", R"("mode": "ADD")")});
  };
  EXPECT_EQ(written({1, 4, 8}), "");
  for (const auto& [dims, text] :
       {std::pair{std::vector{1, 4, 4}, "[1, 4, 4]"}, {std::vector{1, 4, 16}, "[1, 4, 16]"}})
    EXPECT_EQ(written(dims),
              "operation 0 (POINTWISE): it writes OUT_0 [1, 4, 8], and the tensor "
              "'y' has the dimensions " +
                  std::string(text));
}

TEST(GraphShapes, ElementsOfAResultHaveAddressesOfTheirOwn) {
  const auto with = [&](const std::string& strides, const std::string& more = "",
                        const std::string& y = tensor("y", {1, 4, 2})) {
    return mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 2}),
                    R"("p": {"dim": [1, 4, 2], "stride": )" + strides + more + "}", y},
                   {product("p"), node("POINTWISE", R"("IN_0": "p")", R"("OUT_0": "y")",
                                       R"("mode": "RELU_FWD")")});
  };
  const std::string words =
      " [1, 4, 2] is written, and the strides [8, 1, 1] give two of its elements one address";
  const std::string inside = R"(, "is_virtual": true)";
  EXPECT_EQ(with("[8, 1, 1]"), "the tensor 'p'" + words);
  EXPECT_EQ(with("[8, 2, 7]"), "");
  EXPECT_EQ(with("[8, 1, 1]", inside), "") << "it is in no memory";
  EXPECT_EQ(with("[8, 1, 1]", inside, result("y")), "the tensor 'y'" + words) << "as it reads";
}

TEST(GraphShapes, AttentionHasKeysForItsQueries) {
  const auto attention = [&](const std::vector<int>& key, const std::vector<int>& value,
                             const std::string& o) {
    return mistake({tensor("q", {2, 8, 16, 64}), tensor("k", key), tensor("v", value), o},
                   {node("SDPA", R"("Q": "q", "K": "k", "V": "v")", R"("O": "o")")});
  };
  const std::string o = tensor("o", {2, 8, 16, 64});
  const std::string kOperation = "create_operation: operation 0 (SDPA): ";
  EXPECT_EQ(attention({2, 4, 32, 64}, {2, 4, 32, 64}, o), "");
  EXPECT_EQ(attention({2, 4, 32, 64}, {2, 4, 31, 64}, o),
            kOperation + "K [2, 4, 32, 64], Q [2, 8, 16, 64], V [2, 4, 31, 64], O [2, 8, 16, 64]");
  EXPECT_EQ(attention({2, 4, 32, 32}, {2, 4, 32, 64}, o),
            kOperation + "K [2, 4, 32, 32], Q [2, 8, 16, 64], V [2, 4, 32, 64], O [2, 8, 16, 64]");
  EXPECT_EQ(attention({2, 3, 32, 64}, {2, 3, 32, 64}, o),
            "unsupported: validate: operation 0 (SDPA): K [2, 3, 32, 64], Q [2, 8, 16, 64], V "
            "[2, 3, 32, 64], O [2, 8, 16, 64]");
  EXPECT_EQ(attention({2, 4, 32, 64}, {2, 4, 32, 32}, o),
            kOperation + "K [2, 4, 32, 64], Q [2, 8, 16, 64], V [2, 4, 32, 32], O [2, 8, 16, 64]");
  EXPECT_EQ(attention({2, 4, 32, 64}, {2, 4, 32, 64}, result("o")),
            "validate: operation 0 (SDPA): K [2, 4, 32, 64], Q [2, 8, 16, 64], V [2, 4, 32, 64]");
  EXPECT_EQ(mistake({tensor("q", {8, 16, 64}), tensor("k", {8, 16, 64}), tensor("v", {8, 16, 64}),
                     tensor("o", {8, 16, 64})},
                    {node("SDPA", R"("Q": "q", "K": "k", "V": "v")", R"("O": "o")")}),
            "operation 0 (SDPA): K [8, 16, 64] has fewer than 4 dimensions");
}

TEST(GraphShapes, NormsWriteWhatTheyRead) {
  const auto norm = [&](const std::vector<int>& y, const std::vector<int>& mean) {
    return mistake(
        {tensor("x", {64, 256, 1, 1}), tensor("s", {1, 256, 1, 1}), tensor("b", {1, 256, 1, 1}),
         R"("e": {"is_pass_by_value": true, "pass_by_value": {"index": 3, "value": 1e-5}})",
         tensor("y", y), tensor("m", mean), tensor("i", {64, 1, 1, 1})},
        {node("LAYER_NORM", R"("X": "x", "SCALE": "s", "BIAS": "b", "EPSILON": "e")",
              R"("Y": "y", "MEAN": "m", "INV_VARIANCE": "i")", R"("forward_phase": "TRAINING")")});
  };
  const std::string kOperation =
      "create_operation: operation 0 (LAYER_NORM): BIAS [1, 256, 1, 1], SCALE [1, 256, 1, 1], X "
      "[64, 256, 1, 1], INV_VARIANCE [64, 1, 1, 1], ";
  EXPECT_EQ(norm({64, 256, 1, 1}, {64, 1, 1, 1}), "");
  EXPECT_EQ(norm({64, 128, 1, 1}, {64, 1, 1, 1}),
            kOperation + "MEAN [64, 1, 1, 1], Y [64, 128, 1, 1]");
  EXPECT_EQ(norm({64, 256, 1, 1}, {1, 256, 1, 1}),
            kOperation + "MEAN [1, 256, 1, 1], Y [64, 256, 1, 1]");
}

TEST(GraphShapes, WhatIsInMemoryHasStridesAndFitsIntoIt) {
  EXPECT_EQ(
      mistake({R"("a": {"dim": [1, 4, 8]})", tensor("b", {1, 8, 2}), result("y")}, {product()}),
      "tensor 'a' is read from memory and lacks 'dim' or 'stride': {\"dim\": [8, 64], "
      "\"stride\": [64, 1]}");
  EXPECT_EQ(
      mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 2}), R"("y": {"stride": [8, 2, 1]})"},
              {product()}),
      "tensor 'y': [] and its strides [8, 2, 1] differ in number");
  EXPECT_EQ(
      mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 2}),
               R"("y": {"is_pass_by_value": true, "pass_by_value": {"index": 3, "value": 1}})"},
              {product()}),
      "operation 0 (MATMUL): its output 'y' is passed by value; what is written is in memory");
  EXPECT_EQ(mistake({R"("a": {"dim": [1, 4, 8], "stride": [4611686018427387904, 8, 1]})",
                     tensor("b", {1, 8, 2}), result("y")},
                    {product()}),
            "");
  EXPECT_EQ(mistake({R"("a": {"dim": [2, 4, 8], "stride": [4611686018427387904, 8, 1]})",
                     tensor("b", {1, 8, 2}), result("y")},
                    {product()}),
            "the tensor 'a' [2, 4, 8], strides [4611686018427387904, 8, 1], spans more "
            "than 2^48 elements, more than any memory holds");
  EXPECT_EQ(mistake({R"("a": {"pass_by_value": {"index": 3, "value": 1}})", tensor("b", {1, 8, 2}),
                     result("y")},
                    {product()}),
            "tensor 'a': {\"index\":3,\"value\":\"3F800000\"} is not allowed for 'pass_by_value'");
}

TEST(GraphShapes, NumbersThatArePassedByValueAreOperandsOfPointwiseOperationsAlone) {
  const std::string number =
      R"("a": {"is_pass_by_value": true, "pass_by_value": {"index": 3, "value": 1}})";
  EXPECT_EQ(mistake({number, tensor("b", {1, 8, 2}), result("y")}, {product()}),
            "operation 0 (MATMUL): it reads A from memory, and the tensor 'a' is passed by value");
  const auto scaled = [&](const std::string& by) {
    return mistake({number, tensor("b", {1, 8, 2}), result("y")},
                   {node("POINTWISE", "\"IN_0\": \"b\", \"IN_1\": \"" + by + "\"",
                         R"("OUT_0": "y")", R"("mode": "MUL")")});
  };
  EXPECT_EQ(scaled("a"), "");
  EXPECT_EQ(scaled("b"), "tensor 'a' is in no operation");
}

}  // namespace
}  // namespace plumbline::cudnn
