/// Shapes of a graph that a suite declares: what contradicts its operations is found where it
/// stands, through tensors that are given no dimensions, without cuDNN.
#include <gtest/gtest.h>

#include <chrono>

#include "core/case.h"
#include "core/error.h"
#include "suite/suite.h"
#include "support/small_catalogue.h"
#include "support/source_folder.h"

namespace plumbline {
namespace {

class GraphShapes : public testing::Test {
 protected:
  /// What is said of a graph: tensors one a line from line 2, then 'nodes'. "" where it is read.
  std::string mistake(const std::vector<std::string>& tensors,
                      const std::vector<std::string>& nodes, const std::string& context = "{}") {
    std::string text = "{\"context\": " + context + ", \"tensors\": {\n";
    for (const std::string& tensor : tensors)
      text += tensor + (&tensor == &tensors.back() ? "\n" : ",\n");
    text += "}, \"nodes\": [\n";
    for (const std::string& node : nodes) text += node + (&node == &nodes.back() ? "\n" : ",\n");
    return mistake_in(text + "]}\n");
  }

  std::string mistake_in(const std::string& graph, const std::string& dtypes = "float16") {
    folder_.write("g.json", graph);
    const std::string suite = folder_.write(
        "s.yaml",
        "suite: s\nbenchmarks:\n  - {op: cudnn.graph, name: mine, graph: g.json, sweep: {dtype: " +
            dtypes + "}}\n");
    try {
      cases_ = load_suite(suite, small_catalogue(), {}).cases;
    } catch (const Error& error) {
      const std::string said = error.what();
      return said.substr(said.find("g.json:"));
    }
    return "";
  }

  SourceFolder folder_;
  std::vector<Case> cases_;
};

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

TEST_F(GraphShapes, AResultHasTheSizesThatItsOperationGivesIt) {
  EXPECT_EQ(mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 2}), tensor("y", {1, 4, 2})},
                    {product()}),
            "");
  EXPECT_EQ(mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 2}), tensor("y", {1, 4, 3})},
                    {product()}),
            "g.json:4:14: MATMUL writes C [1, 4, 2], and the tensor 'y' has the dimensions "
            "[1, 4, 3]");
  EXPECT_EQ(mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 2}),
                     tensor("p", {1, 5, 2}, R"("is_virtual": true)"), result("y")},
                    {product("p"), node("POINTWISE", R"("IN_0": "p")", R"("OUT_0": "y")",
                                        R"("mode": "RELU_FWD")")}),
            "g.json:4:14: MATMUL writes C [1, 4, 2], and the tensor 'p' has the dimensions "
            "[1, 5, 2]");
}

TEST_F(GraphShapes, FollowThroughTensorsThatAreGivenNone) {
  const auto with_bias = [&](const std::vector<int>& bias) {
    return mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 64}), inside("p"),
                    tensor("bias", bias), result("y")},
                   {product("p"), node("POINTWISE", R"("IN_0": "p", "IN_1": "bias")",
                                       R"("OUT_0": "y")", R"("mode": "ADD")")});
  };
  EXPECT_EQ(with_bias({1, 1, 64}), "");
  EXPECT_EQ(with_bias({1, 1, 63}),
            "g.json:9:69: POINTWISE: IN_0 [1, 4, 64] and IN_1 [1, 1, 63] do not fit: sizes are "
            "equal, or one is 1");
  EXPECT_EQ(with_bias({1, 64}),
            "g.json:9:69: POINTWISE: IN_0 [1, 4, 64] and IN_1 [1, 64] do not fit: they have as "
            "many dimensions");
}

TEST_F(GraphShapes, ProductsHaveMatricesAndBatchesThatFit) {
  EXPECT_EQ(mistake({tensor("a", {8}), tensor("b", {8}), result("y")}, {product()}),
            "g.json:6:35: MATMUL: A [8] is no matrix: it has two dimensions or more, the last of "
            "them rows and columns");
  EXPECT_EQ(mistake({tensor("a", {3, 4, 8}), tensor("b", {2, 8, 4}), result("y")}, {product()}),
            "g.json:6:45: MATMUL: A [3, 4, 8] and B [2, 8, 4] do not fit: batches are equal, or "
            "one is a multiple of the other");
  EXPECT_EQ(mistake({tensor("a", {3, 4, 8}), tensor("b", {1, 8, 4}), tensor("y", {3, 4, 4})},
                    {product()}),
            "");
}

TEST_F(GraphShapes, ConvolutionsAndTheirGradientsFit) {
  const std::string window =
      R"("pre_padding": [1, 1], "post_padding": [1, 1], "stride": [2, 2], "dilation": [1, 1])";
  const auto forward = [&](const std::vector<int>& weight, const std::string& y) {
    return mistake({tensor("x", {2, 8, 6, 6}), tensor("w", weight), y},
                   {node("CONV_FPROP", R"("X": "x", "W": "w")", R"("Y": "y")", window)});
  };
  EXPECT_EQ(forward({16, 8, 3, 3}, tensor("y", {2, 16, 3, 3})), "");
  EXPECT_EQ(forward({16, 8, 3, 3}, tensor("y", {2, 16, 6, 6})),
            "g.json:4:14: CONV_FPROP writes Y [2, 16, 3, 3], and the tensor 'y' has the "
            "dimensions [2, 16, 6, 6]");
  EXPECT_EQ(forward({16, 8, 9, 9}, result("y")),
            "g.json:6:134: CONV_FPROP: X [2, 8, 6, 6] and W [16, 8, 9, 9] do not fit: the filter "
            "is larger than the padded image");
  const auto gradient = [&](const std::string& dx) {
    return mistake({tensor("dy", {2, 16, 3, 3}), tensor("w", {16, 8, 3, 3}), dx},
                   {node("CONV_DGRAD", R"("DY": "dy", "W": "w")", R"("DX": "dx")", window)});
  };
  EXPECT_EQ(gradient(tensor("dx", {2, 8, 6, 6})), "");
  EXPECT_EQ(gradient(tensor("dx", {2, 8, 5, 5})), "") << "of an odd size";
  EXPECT_EQ(gradient(result("dx")),
            "g.json:4:1: CONV_DGRAD writes 'dx', whose dimensions do not follow from what it "
            "reads; it lacks 'dim' and 'stride'");
  EXPECT_EQ(gradient(tensor("dx", {2, 8, 9, 9})).substr(0, 100),
            "g.json:4:15: CONV_DGRAD: DY [2, 16, 3, 3] is no gradient of DX [2, 8, 9, 9]: forward, "
            "that gives [2,");
  EXPECT_EQ(mistake({tensor("dy", {2, 16, 3, 3}), tensor("x", {2, 8, 6, 6}), result("dw")},
                    {node("CONV_WGRAD", R"("DY": "dy", "X": "x")", R"("DW": "dw")", window)}),
            "g.json:4:1: CONV_WGRAD writes 'dw', whose dimensions do not follow from what it "
            "reads; it lacks 'dim' and 'stride'");
}

TEST_F(GraphShapes, PoolingHasAWindowWithinTheImage) {
  const auto pooled = [&](const std::string& window, const std::string& y) {
    return mistake({tensor("x", {2, 8, 6, 6}), y},
                   {node("RESAMPLE", R"("X": "x")", R"("Y": "y")",
                         R"("resample_mode": "MAXPOOL", "padding_mode": "NEG_INF_PAD",
    "generate_index": false, "stride": [2, 2], "pre_padding": [0, 0], "post_padding": [0, 0],
    "window": )" + window)});
  };
  EXPECT_EQ(pooled("[2, 2]", tensor("y", {2, 8, 3, 3})), "");
  EXPECT_EQ(pooled("[2, 2]", tensor("y", {2, 8, 2, 3})),
            "g.json:3:14: RESAMPLE writes Y [2, 8, 3, 3], and the tensor 'y' has the dimensions "
            "[2, 8, 2, 3]");
  EXPECT_EQ(pooled("[7, 2]", result("y")),
            "g.json:7:16: RESAMPLE: the window of 7 is larger than the padded image, 6 of X "
            "[2, 8, 6, 6]");
}

TEST_F(GraphShapes, OperationsThatRearrangeKeepWhatThereIs) {
  const auto one = [&](const std::string& tag, const std::string& more, const std::string& y) {
    return mistake({tensor("x", {4, 64, 2}), y}, {node(tag, R"("X": "x")", R"("Y": "y")", more)});
  };
  EXPECT_EQ(one("SLICE", R"("slices": [[0, 4], [0, 64], [1, 2]])", tensor("y", {4, 64, 1})), "");
  EXPECT_EQ(one("SLICE", R"("slices": [[0, 4], [0, 65], [1, 2]])", result("y")),
            "g.json:5:37: SLICE: [0, 65] ends beyond the 64 of X [4, 64, 2]");
  EXPECT_EQ(one("SLICE", R"("slices": [[0, 4], [0, 63], [1, 2]], "slice_strides": [1, 2, 1])",
                tensor("y", {4, 31, 1})),
            "g.json:3:14: SLICE writes Y [4, 32, 1], and the tensor 'y' has the dimensions "
            "[4, 31, 1]");
  EXPECT_EQ(one("RESHAPE", "", tensor("y", {4, 128, 1})), "");
  EXPECT_EQ(one("RESHAPE", "", tensor("y", {4, 127, 1})),
            "g.json:3:14: RESHAPE: X [4, 64, 2] has 512 elements and Y [4, 127, 1] 508");
  EXPECT_EQ(one("TRANSPOSE", R"("permutation": [1, 0, 2])", tensor("y", {4, 64, 2})),
            "g.json:3:14: TRANSPOSE writes Y [64, 4, 2], and the tensor 'y' has the dimensions "
            "[4, 64, 2]");
  EXPECT_EQ(one("REDUCTION", R"("mode": "ADD")", tensor("y", {1, 64, 1})), "");
  EXPECT_EQ(one("REDUCTION", R"("mode": "ADD")", tensor("y", {1, 32, 1})),
            "g.json:3:14: REDUCTION: Y [1, 32, 1] is not what X [4, 64, 2] is reduced to: each "
            "size is that of X, or 1");
  EXPECT_EQ(mistake({tensor("x", {4, 64, 2}), tensor("z", {4, 3, 2}), tensor("y", {4, 66, 2})},
                    {node("CONCATENATE", R"("0": "x", "1": "z")", R"("Y": "y")", "\"axis\": 1")}),
            "g.json:4:14: CONCATENATE writes Y [4, 67, 2], and the tensor 'y' has the dimensions "
            "[4, 66, 2]");
}

TEST_F(GraphShapes, AttentionHasKeysForItsQueries) {
  const auto attention = [&](const std::vector<int>& key, const std::vector<int>& value,
                             const std::string& o) {
    return mistake({tensor("q", {2, 8, 16, 64}), tensor("k", key), tensor("v", value), o},
                   {node("SDPA", R"("Q": "q", "K": "k", "V": "v")", R"("O": "o")")});
  };
  const std::string o = tensor("o", {2, 8, 16, 64});
  EXPECT_EQ(attention({2, 4, 32, 64}, {2, 4, 32, 64}, o), "");
  EXPECT_EQ(attention({2, 4, 32, 64}, {2, 4, 31, 64}, o),
            "g.json:7:53: SDPA: K [2, 4, 32, 64] and V [2, 4, 31, 64] do not fit: they have as "
            "many keys");
  EXPECT_EQ(attention({2, 4, 32, 32}, {2, 4, 32, 64}, o),
            "g.json:7:43: SDPA: Q [2, 8, 16, 64] and K [2, 4, 32, 32] do not fit: their heads have "
            "as many elements");
  EXPECT_EQ(attention({2, 3, 32, 64}, {2, 3, 32, 64}, o),
            "g.json:7:43: SDPA: Q [2, 8, 16, 64] and K [2, 3, 32, 64] do not fit: the heads of the "
            "second divide those of the first, and batches are equal");
  EXPECT_EQ(attention({2, 4, 32, 64}, {2, 4, 32, 32}, o),
            "g.json:5:14: SDPA writes O [2, 8, 16, 32], and the tensor 'o' has the dimensions "
            "[2, 8, 16, 64]");
  EXPECT_EQ(attention({2, 4, 32, 64}, {2, 4, 32, 64}, result("o")),
            "g.json:5:1: SDPA writes 'o', for which cuDNN asks its dimensions; it lacks 'dim' and "
            "'stride'");
  EXPECT_EQ(mistake({tensor("q", {8, 16, 64}), tensor("k", {8, 16, 64}), tensor("v", {8, 16, 64}),
                     tensor("o", {8, 16, 64})},
                    {node("SDPA", R"("Q": "q", "K": "k", "V": "v")", R"("O": "o")")}),
            "g.json:7:33: SDPA: Q [8, 16, 64] has 3 dimensions; attention has 4: batch, heads, "
            "length, elements of a head");
}

TEST_F(GraphShapes, NormsWriteWhatTheyRead) {
  const auto norm = [&](const std::vector<int>& y, const std::vector<int>& mean) {
    return mistake(
        {tensor("x", {64, 256, 1, 1}), tensor("s", {1, 256, 1, 1}), tensor("b", {1, 256, 1, 1}),
         R"("e": {"is_pass_by_value": true, "pass_by_value": {"index": 3, "value": 1e-5}})",
         tensor("y", y), tensor("m", mean), tensor("i", {64, 1, 1, 1})},
        {node("LAYER_NORM", R"("X": "x", "SCALE": "s", "BIAS": "b", "EPSILON": "e")",
              R"("Y": "y", "MEAN": "m", "INV_VARIANCE": "i")", R"("forward_phase": "TRAINING")")});
  };
  EXPECT_EQ(norm({64, 256, 1, 1}, {64, 1, 1, 1}), "");
  EXPECT_EQ(norm({64, 128, 1, 1}, {64, 1, 1, 1}).substr(0, 55),
            "g.json:6:14: LAYER_NORM writes Y [64, 256, 1, 1], and t");
  EXPECT_EQ(norm({64, 256, 1, 1}, {1, 256, 1, 1}).substr(0, 55),
            "g.json:7:14: LAYER_NORM writes MEAN [64, 1, 1, 1], and ");
}

TEST_F(GraphShapes, WhatIsInMemoryHasStridesAndFitsIntoIt) {
  EXPECT_EQ(
      mistake({R"("a": {"dim": [1, 4, 8]})", tensor("b", {1, 8, 2}), result("y")}, {product()}),
      "g.json:2:7: the tensor 'a' is read from memory and lacks 'stride', a number for each of "
      "its dimensions; without gaps they are [32, 8, 1]");
  EXPECT_EQ(
      mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 2}), R"("y": {"stride": [8, 2, 1]})"},
              {product()}),
      "g.json:4:1: the tensor 'y' has 'stride' and lacks 'dim'");
  EXPECT_EQ(
      mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 2}),
               R"("y": {"is_pass_by_value": true, "pass_by_value": {"index": 3, "value": 1}})"},
              {product()}),
      "g.json:6:68: the tensor 'y' is passed by value, and MATMUL writes it; what is written "
      "is in memory");
  EXPECT_EQ(mistake({R"("a": {"dim": [1, 4, 8], "stride": [4611686018427387904, 8, 1]})",
                     tensor("b", {1, 8, 2}), result("y")},
                    {product()}),
            "");
  EXPECT_EQ(mistake({R"("a": {"dim": [2, 4, 8], "stride": [4611686018427387904, 8, 1]})",
                     tensor("b", {1, 8, 2}), result("y")},
                    {product()}),
            "g.json:2:35: the tensor 'a' [2, 4, 8] reaches beyond 2^48 elements by its strides, "
            "which no memory has");
  EXPECT_EQ(mistake({R"("a": {"pass_by_value": {"index": 3, "value": 1}})", tensor("b", {1, 8, 2}),
                     result("y")},
                    {product()}),
            "g.json:2:1: the tensor 'a' has 'pass_by_value' and lacks is_pass_by_value: true");
}

TEST_F(GraphShapes, NumbersThatArePassedByValueAreOperandsOfPointwiseOperationsAlone) {
  const std::string number =
      R"("a": {"is_pass_by_value": true, "pass_by_value": {"index": 3, "value": 1}})";
  EXPECT_EQ(mistake({number, tensor("b", {1, 8, 2}), result("y")}, {product()}),
            "g.json:6:35: MATMUL reads A from memory, and the tensor 'a' is passed by value");
  const auto scaled = [&](const std::string& by) {
    return mistake({number, tensor("b", {1, 8, 2}), result("y")},
                   {node("POINTWISE", "\"IN_0\": \"b\", \"IN_1\": \"" + by + "\"",
                         R"("OUT_0": "y")", R"("mode": "MUL")")});
  };
  EXPECT_EQ(scaled("a"), "");
  EXPECT_EQ(scaled("b").substr(0, 45), "g.json:2:1: the tensor 'a' is in no operation");
}

TEST_F(GraphShapes, MembersOfTheContextAreOfTheirKind) {
  const auto with = [&](const std::string& context) {
    return mistake({tensor("a", {1, 4, 8}), tensor("b", {1, 8, 2}), result("y")}, {product()},
                   context);
  };
  EXPECT_EQ(with(R"({"sm_count": -1, "is_dynamic_shape_enabled": false, "name": ""})"), "");
  EXPECT_EQ(with(R"({"sm_count": "many"})"),
            "g.json:1:26: found the text 'many'; 'sm_count' is an integer");
  EXPECT_EQ(with(R"({"is_dynamic_shape_enabled": "yes"})"),
            "g.json:1:42: found the text 'yes'; 'is_dynamic_shape_enabled' is true or false");
  EXPECT_EQ(with(R"({"name": 5})"),
            "g.json:1:22: found the integer 5; 'name' is a text: put it in quotes");
  EXPECT_EQ(with(R"({"name": null})").substr(0, 40), "g.json:1:22: found nothing (null); 'name");
}

TEST_F(GraphShapes, ACaseOfAnotherTypeThanTheGraphsIsUnsupported) {
  const auto graph = [](const std::string& context, const std::string& type) {
    return "{\"context\": {" + context + "}, \"tensors\": {" + tensor("x", {1, 8, 8}, type) +
           ", \"y\": {" + type + "}}, \"nodes\": [" +
           node("POINTWISE", R"("IN_0": "x")", R"("OUT_0": "y")", R"("mode": "EXP")") + "]}";
  };
  ASSERT_EQ(mistake_in(graph("\"io_data_type\": \"HALF\"", ""), "[float16, float32]"), "");
  EXPECT_EQ(cases_.at(0).unsupported, "");
  EXPECT_EQ(cases_.at(1).unsupported,
            "the graph's io_data_type is HALF, so that dtype=float32 would measure the same; "
            "a graph without it takes the case's dtype");
  ASSERT_EQ(mistake_in(graph("", "\"data_type\": \"HALF\""), "[float16, float32]"), "");
  EXPECT_EQ(cases_.at(0).unsupported, "");
  EXPECT_EQ(cases_.at(1).unsupported,
            "all tensors of the graph name their type, none of them FLOAT, so that dtype=float32 "
            "would measure the same; a tensor without data_type takes the case's dtype");
  ASSERT_EQ(mistake_in(graph("", ""), "[float16, float32]"), "");
  EXPECT_EQ(cases_.at(1).unsupported, "");
}

TEST_F(GraphShapes, ALongChainIsReadInNoTime) {
  constexpr int kOperations = 20'000;
  std::vector<std::string> tensors{tensor("t0", {1, 8, 8})}, nodes;
  for (int i = 1; i <= kOperations; ++i) {
    const std::string name = "t" + std::to_string(i), before = "t" + std::to_string(i - 1);
    tensors.push_back(i == kOperations ? result(name) : inside(name));
    nodes.push_back(node("POINTWISE", "\"IN_0\": \"" + before + "\"", "\"OUT_0\": \"" + name + "\"",
                         R"("mode": "RELU_FWD")"));
  }
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(mistake(tensors, nodes), "");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  EXPECT_LT(took.count(), 5);
}

}  // namespace
}  // namespace plumbline
