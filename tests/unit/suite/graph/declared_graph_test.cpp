/// Graphs of cuDNN's operations that suites declare: every mistake in how operations and tensors
/// fit together is found at its place, without cuDNN.
#include <gtest/gtest.h>

#include <chrono>

#include "core/error.h"
#include "core/run/case.h"
#include "suite/suite.h"
#include "support/small_catalogue.h"
#include "support/source_folder.h"
#include "support/time_limit.h"

namespace plumbline {
namespace {

/// y = relu(a b), each operation on its own line.
constexpr const char* kGraph = R"({
  "tensors": {
    "a": {"dim": [1, 4, 8], "stride": [32, 8, 1]},
    "b": {"dim": [1, 8, 2], "stride": [16, 2, 1]},
    "product": {"is_virtual": true},
    "y": {}
  },
  "nodes": [
    {"tag": "MATMUL", "inputs": {"A": "a", "B": "b"}, "outputs": {"C": "product"}},
    {"tag": "POINTWISE", "mode": "RELU_FWD", "inputs": {"IN_0": "product"}, "outputs": {"OUT_0": "y"}}
  ]
}
)";

class DeclaredGraph : public testing::Test {
 protected:
  Suite load(const std::string& graph, const std::string& more = "backend: cudnn",
             const std::string& dtypes = "float16") {
    folder_.write("graphs/g.json", graph);
    return load_suite(
        folder_.write("s.yaml",
                      "suite: s\nbenchmarks:\n  - {op: cudnn.graph, name: mine, graph: "
                      "graphs/g.json, sweep: {dtype: " +
                          dtypes + "}, " + more + "}\n"),
        small_catalogue(), {});
  }

  /// The message after the folder's path, for the graph with `from` replaced.
  std::string mistake(const std::string& from, const std::string& to) {
    std::string graph = kGraph;
    const auto at = graph.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    graph.replace(at, from.size(), to);
    try {
      load(graph);
    } catch (const Error& error) {
      const std::string text = error.what();
      const auto file = text.find("g.json:");
      return file == std::string::npos ? text : text.substr(file);
    }
    return "";
  }

  SourceFolder folder_;
};

TEST_F(DeclaredGraph, IsAProblemOfItsOwnOnCudnn) {
  const Case found = load(kGraph).cases.at(0);
  EXPECT_EQ(found.id, "mine/cudnn/dtype=float16");
  EXPECT_EQ(found.op, "mine");
  EXPECT_EQ(found.unsupported, "");
  EXPECT_NE(found.declaration->graph.find(R"("dim":[1,4,8])"), std::string::npos);
  EXPECT_EQ(load(kGraph, "tags: a").cases.at(0).backend, "cudnn");
  EXPECT_EQ(load(kGraph, "backend: libtorch").cases.at(0).unsupported,
            "no libtorch implementation of mine: graphs of cuDNN's operations run on cudnn");
  std::string other = kGraph;
  other.replace(other.find("RELU"), 4, "TANH");
  EXPECT_NE(load(other).cases.at(0).revision, found.revision);
}

TEST_F(DeclaredGraph, StandsInTheSuiteAsWell) {
  const std::string path = folder_.write(
      "inline.yaml",
      "suite: s\nbenchmarks:\n  - op: cudnn.graph\n    name: mine\n    sweep: {dtype: float16}\n"
      "    graph:\n      tensors: {x: {dim: [8, 8], stride: [8, 1]}, y: {}}\n"
      "      nodes: [{tag: POINTWISE, mode: EXP, inputs: {IN_0: x}, outputs: {OUT_0: z}}]\n");
  try {
    load_suite(path, small_catalogue(), {});
    FAIL() << "it was read";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("inline.yaml:8:79: POINTWISE: there is no tensor 'z'"), std::string::npos)
        << text;
  }
}

TEST_F(DeclaredGraph, OperationsAndTheirPortsAreKnown) {
  EXPECT_EQ(mistake("\"MATMUL\"", "\"MATMULT\""),
            "g.json:9:13: unknown operation 'MATMULT'; did you mean 'MATMUL'?");
  EXPECT_EQ(mistake("\"tag\": \"MATMUL\", ", ""),
            "g.json:9:5: this operation lacks 'tag', its name, such as MATMUL");
  EXPECT_EQ(mistake(", \"B\": \"b\"", ""),
            "g.json:9:33: MATMUL lacks 'B' among its inputs; it needs: A, B");
  EXPECT_EQ(mistake("\"nodes\"", "\"nods\""),
            "g.json:8:3: unknown member 'nods' of the graph; did you mean 'nodes'?");
}

TEST_F(DeclaredGraph, TensorsAreDeclaredUsedAndHaveDimensions) {
  EXPECT_EQ(mistake("\"B\": \"b\"", "\"B\": \"c\""),
            "g.json:9:49: MATMUL: there is no tensor 'c'; allowed: a, b, product, y");
  EXPECT_EQ(mistake("\"y\": {}", "\"y\": {}, \"z\": {}"),
            "g.json:6:14: the tensor 'z' is in no operation");
  EXPECT_EQ(mistake("\"OUT_0\": \"y\"", "\"OUT_0\": \"product\""),
            "g.json:10:98: the tensor 'product' is computed by operation 0 already");
  EXPECT_EQ(mistake("\"y\": {}", "\"y\": {\"is_virtual\": true}"),
            "g.json:6:5: the tensor 'y' is virtual, but no operation reads it; without "
            "'is_virtual' it is a result");
}

TEST_F(DeclaredGraph, OperationsComputeBeforeTheyAreReadAndNotInACircle) {
  EXPECT_EQ(
      mistake("\"A\": \"a\"", "\"A\": \"y\""),
      "g.json:9:39: operation 0 reads 'y', which operation 1 computes after it; 'nodes' stand in "
      "the order in which they compute, and a graph has no cycles");
  EXPECT_EQ(mistake("\"A\": \"a\"", "\"A\": \"product\"").substr(0, 67),
            "g.json:9:39: operation 0 reads 'product', which it computes itself;");
  std::string swapped = kGraph;
  const auto first = swapped.find("    {\"tag\": \"MATMUL\""),
             second = swapped.find("    {\"tag\": \"P");
  const std::string product = swapped.substr(first, second - first - 2);
  swapped.erase(first, second - first);
  swapped.insert(swapped.find("\n  ]"), ",\n" + product);
  try {
    load(swapped);
    FAIL() << "it was read";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(
        text.find("g.json:9:65: operation 0 reads 'product', which operation 1 computes "
                  "after it; 'nodes' stand in the order in which they compute, and a graph has "
                  "no cycles"),
        std::string::npos)
        << text;
  }
}

TEST_F(DeclaredGraph, AContextThatCudnnWouldPassOverIsAMistake) {
  const auto with = [&](const std::string& context) {
    return mistake("\"tensors\"", "\"context\": {" + context + "}, \"tensors\"");
  };
  EXPECT_EQ(with(R"("compute_data_typ": "HALF")"),
            "g.json:2:15: unknown member 'compute_data_typ' of the graph's context; did you mean "
            "'compute_data_type'?");
  EXPECT_EQ(with(R"("io_data_type": "FLOATT")"),
            "g.json:2:31: 'io_data_type' is the text 'FLOATT', which is no data type; did you mean "
            "'FLOAT'?");
  EXPECT_EQ(with(R"("io_data_type": null, "compute_data_type": "FLOAT", "name": "mine")"), "");
  EXPECT_EQ(mistake("\"y\": {}", "\"y\": {\"data_type\": \"HALFF\"}"),
            "g.json:6:24: 'data_type' is the text 'HALFF', which is no data type; did you mean "
            "'HALF'?");
}

TEST_F(DeclaredGraph, MembersAreThoseOfTheOperationAndOfItsKind) {
  EXPECT_EQ(mistake("RELU_FWD", "RELU").substr(0, 95),
            "g.json:10:34: 'mode' is the text 'RELU', which is none of its values; allowed: "
            "SQRT, RELU_FWD, ");
  EXPECT_EQ(mistake("RELU_FWD", "RELU_FWDD"),
            "g.json:10:34: 'mode' is the text 'RELU_FWDD', which is none of its values; did you "
            "mean 'RELU_FWD'?");
  EXPECT_EQ(mistake("\"mode\"", "\"mod\""),
            "g.json:10:26: unknown member 'mod' of POINTWISE; did you mean 'mode'?");
  EXPECT_NE(mistake("\"mode\": \"RELU_FWD\", ", "").find("g.json:10:5: POINTWISE lacks 'mode'"),
            std::string::npos);
  EXPECT_EQ(mistake("\"mode\"", "\"relu_upper_clip\": \"six\", \"mode\""),
            "g.json:10:45: found the text 'six'; 'relu_upper_clip' is a number");
  EXPECT_EQ(mistake("\"mode\"", "\"relu_upper_clip\": \"40C00000\", \"mode\""), "");
  EXPECT_EQ(mistake("\"mode\"", "\"axis\": null, \"relu_upper_clip\": 6, \"mode\""), "");
  EXPECT_EQ(mistake("RELU_FWD", "ADD"),
            "g.json:10:51: POINTWISE lacks 'IN_1' among its inputs; it needs: IN_0, IN_1");
  EXPECT_EQ(mistake("{\"IN_0\": \"product\"}", "{\"IN_0\": \"product\", \"IN_1\": \"a\"}"),
            "g.json:10:76: 'IN_1' is not one of the inputs of POINTWISE; did you mean 'IN_0'?");
  EXPECT_EQ(mistake("{\"C\": \"product\"}", "{\"C\": \"product\", \"D\": \"y\"}"),
            "g.json:9:83: 'D' is not one of the outputs of MATMUL; allowed: C");
}

TEST_F(DeclaredGraph, TensorsHavePositiveSizesAndUidsOfTheirOwn) {
  EXPECT_EQ(mistake("[1, 8, 2]", "[1, 8, 0]"),
            "g.json:4:25: found the integer 0; 'dim' is a list of integers of at least 1");
  EXPECT_EQ(mistake("[16, 2, 1]", "[16, -2, 1]"),
            "g.json:4:44: found the integer -2; 'stride' is a list of integers of at least 1");
  EXPECT_EQ(mistake("[1, 8, 2]", "8"),
            "g.json:4:18: found the integer 8; 'dim' is a list of integers of at least 1");
  EXPECT_EQ(mistake("\"is_virtual\": true", "\"is_virtual\": 1"),
            "g.json:5:31: found the integer 1; 'is_virtual' is true or false");
  EXPECT_EQ(mistake("\"dim\": [1, 8, 2]", "\"dims\": [1, 8, 2]"),
            "g.json:4:11: unknown member 'dims' of the tensor 'b'; did you mean 'dim'?");
  EXPECT_EQ(mistake("\"y\": {}",
                    "\"y\": {\"is_pass_by_value\": true, \"pass_by_value\": {\"index\": 6, "
                    "\"value\": 1}}"),
            "g.json:6:54: found a map; 'pass_by_value' is {index: 3, value: 1e-5}; index is 0 "
            "(int64), 1 (int32), 2 (half), 3 (float), 4 (double) or 5 (bfloat16)");
}

TEST_F(DeclaredGraph, GroupedProductsOfExpertsAreKnown) {
  const std::string graph = R"({"tensors": {
    "token": {"dim": [1, 64, 32], "stride": [2048, 32, 1]},
    "weight": {"dim": [4, 32, 16], "stride": [512, 16, 1]},
    "first": {"dim": [4, 1, 1], "stride": [1, 1, 1], "data_type": "INT32"}, "y": {}},
  "nodes": [{"tag": "MOE_GROUPED_MATMUL", "mode": "NONE",
    "inputs": {"Token": "token", "Weight": "weight", "FirstTokenOffset": "first"},
    "outputs": {"Output": "y"}}]})";
  EXPECT_EQ(load(graph).cases.size(), 1u);
}

TEST_F(DeclaredGraph, NullIsNotGivenAndMembersOfTheContextAreOfTheirKind) {
  const auto with = [&](const std::string& context) {
    return mistake("\"tensors\"", "\"context\": {" + context + "}, \"tensors\"");
  };
  EXPECT_EQ(with(R"("sm_count": -1, "is_dynamic_shape_enabled": false, "name": "")"), "");
  EXPECT_EQ(with(R"("sm_count": null, "name": null)"), "");
  EXPECT_EQ(with(R"("sm_count": "many")"),
            "g.json:2:27: found the text 'many'; 'sm_count' is an integer");
  EXPECT_EQ(with(R"("name": 5)"),
            "g.json:2:23: found the integer 5; 'name' is a text: put it in quotes");
}

TEST_F(DeclaredGraph, ACaseOfAnotherTypeThanTheGraphsIsUnsupported) {
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string graph = R"({"context": {}, "tensors": {"x": {"dim": [8], "stride": [1]}, "y": {}},
      "nodes": [{"tag": "POINTWISE", "mode": "EXP", "inputs": {"IN_0": "x"},
                 "outputs": {"OUT_0": "y"}}]})";
    for (auto at = graph.find(from); at != graph.npos; at = graph.find(from, at + to.size()))
      graph.replace(at, from.size(), to);
    const Suite suite = load(graph, "backend: cudnn", "[float16, float32]");
    EXPECT_EQ(suite.cases.at(0).unsupported, "");
    return suite.cases.at(1).unsupported;
  };
  EXPECT_EQ(refusal("{}, \"tensors\"", "{\"io_data_type\": \"HALF\"}, \"tensors\""),
            "the graph's io_data_type is HALF, so that dtype=float32 would measure the same; "
            "a graph without it takes the case's dtype");
  EXPECT_EQ(
      refusal("[1]}, \"y\": {}", "[1], \"data_type\": \"HALF\"}, \"y\": {\"data_type\": \"HALF\"}"),
      "all tensors of the graph name their type, none of them FLOAT, so that dtype=float32 "
      "would measure the same; a tensor without data_type takes the case's dtype");
  EXPECT_EQ(refusal("[8]", "[9]"), "");
}

TEST_F(DeclaredGraph, ALongChainIsReadInNoTime) {
  constexpr int kOperations = 20'000;
  std::string tensors = R"("t0": {"dim": [1, 8, 8], "stride": [64, 8, 1]})", nodes;
  for (int i = 1; i <= kOperations; ++i) {
    const std::string name = "t" + std::to_string(i), before = "t" + std::to_string(i - 1);
    tensors += ",\n\"" + name + "\": {" + (i == kOperations ? "" : "\"is_virtual\": true") + "}";
    nodes += (i == 1 ? "" : ",\n") + std::string(R"({"tag": "POINTWISE", "mode": "RELU_FWD",)") +
             R"("inputs": {"IN_0": ")" + before + R"("}, "outputs": {"OUT_0": ")" + name + "\"}}";
  }
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(load("{\"tensors\": {" + tensors + "}, \"nodes\": [" + nodes + "]}").cases.size(), 1u);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  EXPECT_LT(took.count(), time_limit_s(5));
}

}  // namespace
}  // namespace plumbline
