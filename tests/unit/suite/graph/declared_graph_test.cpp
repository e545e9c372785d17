/// Graphs of cuDNN's operations that suites declare: every mistake in how operations and tensors
/// belong together is found where it stands, without cuDNN.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "core/case.h"
#include "core/error.h"
#include "suite/graph/graph_values.h"
#include "suite/suite.h"
#include "support/small_catalogue.h"
#include "support/source_folder.h"

namespace plumbline {
namespace {

/// y = relu(a b), each on a line of its own.
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
  Suite load(const std::string& graph, const std::string& more = "backend: cudnn") {
    folder_.write("graphs/g.json", graph);
    return load_suite(
        folder_.write("s.yaml",
                      "suite: s\nbenchmarks:\n  - {op: cudnn.graph, name: mine, graph: "
                      "graphs/g.json, sweep: {dtype: float16}, " +
                          more + "}\n"),
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
            "g.json:8:3: unknown key 'nods' in the graph; did you mean 'nodes'?");
}

TEST_F(DeclaredGraph, TensorsAreDeclaredUsedAndHaveDimensions) {
  EXPECT_EQ(mistake("\"B\": \"b\"", "\"B\": \"c\""),
            "g.json:9:49: MATMUL: there is no tensor 'c'; allowed: a, b, product, y");
  EXPECT_EQ(mistake("\"y\": {}", "\"y\": {}, \"z\": {}"),
            "g.json:6:14: the tensor 'z' is in no operation");
  EXPECT_EQ(mistake("\"dim\": [1, 8, 2], ", ""),
            "g.json:4:5: the tensor 'b' is read from memory and lacks 'dim', its dimensions: "
            "{dim: [8, 64], stride: [64, 1]}");
  EXPECT_EQ(mistake("\"stride\": [16, 2, 1]", "\"stride\": [16, 2]"),
            "g.json:4:29: the tensor 'b' has 3 dimensions and 2 strides");
  EXPECT_EQ(mistake("\"OUT_0\": \"y\"", "\"OUT_0\": \"product\""),
            "g.json:10:98: the tensor 'product' is computed by operation 0 already");
  EXPECT_EQ(mistake("\"y\": {}", "\"y\": {\"is_virtual\": true}"),
            "g.json:6:5: the tensor 'y' is virtual, and what is computed for it is read by no "
            "operation; without 'is_virtual' it is a result");
}

TEST_F(DeclaredGraph, OperationsComputeBeforeTheyAreReadAndNotInACircle) {
  EXPECT_EQ(mistake("\"A\": \"a\"", "\"A\": \"y\""),
            "g.json:9:39: the operations wait for each other: 0 ← 1 ← 0; a graph has no cycles");
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
    EXPECT_NE(text.find("g.json:9:65: operation 0 reads 'product', which operation 1 computes "
                        "after it; 'nodes' stand in the order in which they compute"),
              std::string::npos)
        << text;
  }
}

TEST_F(DeclaredGraph, AContextThatCudnnWouldPassOverIsAMistake) {
  const auto with = [&](const std::string& context) {
    return mistake("\"tensors\"", "\"context\": {" + context + "}, \"tensors\"");
  };
  EXPECT_EQ(with(R"("compute_data_typ": "HALF")"),
            "g.json:2:15: unknown key 'compute_data_typ' in the graph's context; did you mean "
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
            "g.json:10:34: 'mode' is the text 'RELU', which is none of its values; allowed: ADD, "
            "MUL, SQRT, ");
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
            "g.json:10:76: 'IN_1' is none of the inputs of POINTWISE; did you mean 'IN_0'?");
  EXPECT_EQ(mistake("{\"C\": \"product\"}", "{\"C\": \"product\", \"D\": \"y\"}"),
            "g.json:9:83: 'D' is none of the outputs of MATMUL; allowed: C");
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
  const auto with_uids = [&](const std::string& of_b) {
    return mistake(
        "\"stride\": [32, 8, 1]},\n    \"b\": {",
        "\"stride\": [32, 8, 1], \"uid\": 7, \"uid_assigned\": true},\n    \"b\": {" + of_b);
  };
  EXPECT_EQ(with_uids("\"uid\": 7, \"uid_assigned\": true, "),
            "g.json:4:18: the tensor 'b' has the uid 7, which is that of 'a'");
  EXPECT_EQ(with_uids("\"uid\": 8, \"uid_assigned\": true, "), "");
  EXPECT_EQ(mistake("\"y\": {}", "\"y\": {\"is_pass_by_value\": true}"),
            "g.json:6:5: the tensor 'y' is passed by value and has none: pass_by_value: {index: 3, "
            "value: 1e-5} is a float");
  EXPECT_EQ(mistake("\"y\": {}",
                    "\"y\": {\"is_pass_by_value\": true, \"pass_by_value\": {\"index\": 6, "
                    "\"value\": 1}}"),
            "g.json:6:64: found the integer 6; 'index' is 0 (int64), 1 (int32), 2 (half), 3 "
            "(float), 4 (double) or 5 (bfloat16)");
}

TEST_F(DeclaredGraph, ElementsOfAResultHaveAddressesOfTheirOwn) {
  const auto with = [&](const std::string& dims, const std::string& strides) {
    return mistake("\"y\": {}", "\"y\": {\"dim\": " + dims + ", \"stride\": " + strides + "}");
  };
  EXPECT_EQ(
      with("[1, 4, 2]", "[8, 1, 1]"),
      "g.json:6:39: the tensor 'y' [1, 4, 2] is written, and the strides [8, 1, 1] give two of "
      "its elements one address; without gaps they are [8, 2, 1]");
  EXPECT_NE(with("[1, 4, 2]", "[8, 2, 6]"), "") << "3 steps of 2 are one of 6";
  EXPECT_NE(with("[1, 4, 2]", "[8, 1, 2]"), "") << "2 steps of 1 are one of 2";
  for (const char* strides : {"[8, 2, 1]", "[1, 1, 4]", "[8, 2, 7]", "[1, 100, 3]", "[8, 2, 8]"})
    EXPECT_EQ(with("[1, 4, 2]", strides), "") << strides;
  EXPECT_EQ(mistake("\"is_virtual\": true",
                    "\"is_virtual\": true, \"dim\": [1, 4, 2], \"stride\": [8, 1, 1]"),
            "")
      << "it is in no memory";
  EXPECT_EQ(mistake("[32, 8, 1]", "[32, 1, 1]"), "") << "what is read may be seen twice";
}

/// Whether check_written refuses a tensor of these dimensions and strides.
bool is_refused(const std::vector<int>& dims, const std::vector<int>& strides) {
  const auto list = [](const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
    return "[" + text + "]";
  };
  const YamlFile file{"f", "y: {dim: " + list(dims) + ", stride: " + list(strides) + "}", true};
  const YamlPtr root = parse_yaml(file);
  try {
    check_written(root->entries[0]);
    return false;
  } catch (const Error&) {
    return true;
  }
}

/// The same by trying all indexes.
bool has_an_address_twice(const std::vector<int>& dims, const std::vector<int>& strides) {
  std::set<int> addresses{0};
  std::size_t elements = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    std::set<int> more;
    for (const int address : addresses)
      for (int k = 0; k < dims[i]; ++k) more.insert(address + k * strides[i]);
    addresses = std::move(more);
    elements *= std::size_t(dims[i]);
  }
  return addresses.size() < elements;
}

TEST(WrittenTensor, IsRefusedWhereTwoOfItsElementsHaveOneAddressAndNowhereElse) {
  std::mt19937 random(1);
  std::array<int, 2> found{};
  for (int trial = 0; trial < 20'000; ++trial) {
    std::vector<int> dims(1 + random() % 5), strides(dims.size());
    for (int& size : dims) size = 1 + int(random() % 5);
    for (int& stride : strides) stride = 1 + int(random() % 60);
    const bool is_wrong = has_an_address_twice(dims, strides);
    ++found.at(is_wrong ? 1 : 0);
    ASSERT_EQ(is_refused(dims, strides), is_wrong)
        << testing::PrintToString(dims) << " " << testing::PrintToString(strides);
  }
  EXPECT_GT(found[0], 2000);
  EXPECT_GT(found[1], 2000);
}

TEST(WrittenTensor, OfManyDimensionsIsTriedInNoTimeAndOneBeyondAllMemoryIsNotTried) {
  EXPECT_FALSE(is_refused({2000000000, 2000000000, 2}, {2000000000, 2000000000, 1}));
  const std::vector<int> dims(30, 2);
  std::vector<int> strides;  // the addresses are the numbers in binary
  for (int i = 0; i < 30; ++i) strides.push_back(1 << i);
  EXPECT_FALSE(is_refused(dims, strides));
  strides[0] = 2;
  EXPECT_TRUE(is_refused(dims, strides));
}

TEST_F(DeclaredGraph, DimensionsFitTheirOperationAndOneAnother) {
  EXPECT_EQ(mistake("[1, 8, 2]", "[1, 9, 2]"),
            "g.json:9:49: MATMUL: A [1, 4, 8] and B [1, 9, 2] do not fit: A has as many columns as "
            "B rows");
  EXPECT_EQ(
      mistake("\"dim\": [1, 8, 2], \"stride\": [16, 2, 1]", "\"dim\": [8, 2], \"stride\": [2, 1]"),
      "g.json:9:49: MATMUL: A [1, 4, 8] and B [8, 2] do not fit: they have as many "
      "dimensions");
  const auto convolution = [&](const std::string& weight, const std::string& stride) {
    try {
      load(R"({"tensors": {
  "x": {"dim": [2, 8, 6, 6], "stride": [288, 36, 6, 1]},
  "w": {"dim": )" +
           weight + R"(, "stride": [36, 9, 3, 1]}, "y": {}},
  "nodes": [{"tag": "CONV_FPROP", "inputs": {"X": "x", "W": "w"}, "outputs": {"Y": "y"},
    "pre_padding": [1, 1], "post_padding": [0, 0], "dilation": [1, 1], "stride": )" +
           stride + "}]}");
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.substr(text.find("g.json:"));
    }
    return std::string();
  };
  EXPECT_EQ(convolution("[16, 4, 3, 3]", "[2, 2]"), "") << "two groups";
  EXPECT_EQ(convolution("[16, 4, 3, 3]", "[2]"),
            "g.json:5:82: 'stride' has 1 items; it has one for each dimension but the first two of "
            "X [2, 8, 6, 6]");
  EXPECT_EQ(convolution("[16, 4, 3, 3]", "[2, 0]"),
            "g.json:5:86: found the integer 0; 'stride' is a list of integers of at least 1");
  EXPECT_EQ(convolution("[16, 3, 3, 3]", "[2, 2]"),
            "g.json:4:61: CONV_FPROP: X [2, 8, 6, 6] and W [16, 3, 3, 3] do not fit: the channels "
            "are a filter's, or several groups' of them, of as many filters each");
  EXPECT_EQ(convolution("[16, 4, 3, 3]", "null").substr(0, 32), "g.json:5:82: found nothing (null");
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

}  // namespace
}  // namespace plumbline
