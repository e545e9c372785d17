/// Graphs are read, and refused with a reason, without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "backends/cudnn/graph/frontend.h"
#include "backends/implementation.h"
#include "core/error.h"

namespace plumbline::cudnn {
namespace {

using Json = nlohmann::json;

constexpr int kHopper = 90;

/// y = relu(convolution of x), 8 images of 16 channels, channels-last.
Json convolution() {
  return Json::parse(R"({
    "context": {"name": "conv_relu", "io_data_type": "HALF", "intermediate_data_type": "FLOAT",
                "compute_data_type": "FLOAT"},
    "json_version": "1.0",
    "tensors": {
      "x": {"dim": [8, 16, 14, 14], "stride": [3136, 1, 224, 16]},
      "weight": {"dim": [32, 16, 3, 3], "stride": [144, 1, 48, 16]},
      "product": {"is_virtual": true},
      "y": {}
    },
    "nodes": [
      {"tag": "CONV_FPROP", "inputs": {"X": "x", "W": "weight"}, "outputs": {"Y": "product"},
       "pre_padding": [1, 1], "post_padding": [1, 1], "stride": [2, 2], "dilation": [1, 1]},
      {"tag": "POINTWISE", "mode": "RELU_FWD", "inputs": {"IN_0": "product"},
       "outputs": {"OUT_0": "y"}}
    ]})");
}

std::string mistake_in(const std::string& text) {
  try {
    const FrontendGraph graph(text, kHopper);
  } catch (const Error& error) {
    return error.what();
  } catch (const Unsupported& error) {
    return std::string("unsupported: ") + error.what();
  }
  return "";
}

/// The message for the convolution with the member at `path` replaced, or removed if null.
std::string mistake_with(const std::string& path, const Json& value) {
  Json graph = convolution();
  const Json::json_pointer place(path);
  if (value.is_null())
    graph.at(place.parent_pointer()).erase(place.back());
  else
    graph[place] = value;
  return mistake_in(graph.dump());
}

const GraphOperand& operand_named(const FrontendGraph& graph, const std::string& name) {
  const auto found = std::ranges::find(graph.operands(), name, &GraphOperand::name);
  EXPECT_NE(found, graph.operands().end()) << name;
  return *found;
}

TEST(CudnnFrontend, ShapesFollowFromTheOperations) {
  const FrontendGraph graph(convolution().dump(), kHopper);
  EXPECT_EQ(graph.name(), "conv_relu");
  ASSERT_EQ(graph.operands().size(), 3u);
  const GraphOperand& y = operand_named(graph, "y");
  EXPECT_EQ(y.dims, (std::vector<std::int64_t>{8, 32, 7, 7}));
  EXPECT_EQ(y.strides, (std::vector<std::int64_t>{1568, 1, 224, 32}));
  EXPECT_EQ(y.data_type, "HALF");
  EXPECT_TRUE(y.is_written);
  EXPECT_FALSE(operand_named(graph, "x").is_written);
  EXPECT_NE(operand_named(graph, "x").uid, operand_named(graph, "weight").uid);
}

TEST(CudnnFrontend, TextThatIsNoGraphIsRefused) {
  EXPECT_NE(mistake_in("{\"tensors\": ").find("the graph is not valid JSON: "), std::string::npos);
  EXPECT_EQ(mistake_in("[]"), "the graph must be a JSON object");
  EXPECT_EQ(mistake_in("{}"), "the graph lacks 'tensors', an object");
  EXPECT_EQ(mistake_with("/nodes", Json::array()), "the graph has no operation: 'nodes' is empty");
  EXPECT_EQ(mistake_with("/layers", 1),
            "unknown member 'layers' of the graph; it has: context, tensors, nodes, json_version, "
            "cudnn_backend_version, cudnn_frontend_version");
}

TEST(CudnnFrontend, OperationsAndTheirMembersAreKnownByName) {
  EXPECT_EQ(mistake_with("/nodes/1/tag", "ACTIVATION").substr(0, 55),
            "operation 1 (ACTIVATION) is unknown; known operations: ");
  EXPECT_EQ(mistake_with("/nodes/0/strides", Json::array({1, 1})),
            "operation 0 (CONV_FPROP): unknown member 'strides'; it has: compute_data_type, "
            "dilation, math_mode, name, post_padding, pre_padding, stride");
  EXPECT_EQ(mistake_with("/nodes/1/mode", "RELU"),
            "operation 1 (POINTWISE): \"RELU\" is not allowed for 'mode'");
  EXPECT_EQ(mistake_with("/nodes/1/mode", nullptr), "operation 1 (POINTWISE) lacks 'mode'");
}

TEST(CudnnFrontend, EveryPortThatIsNeededHasATensor) {
  EXPECT_EQ(mistake_with("/nodes/0/inputs/W", nullptr),
            "operation 0 (CONV_FPROP) lacks 'W' among its inputs; it needs: X, W");
  EXPECT_EQ(mistake_with("/nodes/1/mode", "ADD"),
            "operation 1 (POINTWISE) lacks 'IN_1' among its inputs; it needs: IN_0, IN_1");
  EXPECT_EQ(mistake_with("/nodes/0/inputs/BIAS", "x"),
            "operation 0 (CONV_FPROP), inputs: unknown port 'BIAS'; it has: X, W");
}

TEST(CudnnFrontend, TensorsAreDeclaredAndComputedBeforeTheyAreRead) {
  EXPECT_EQ(mistake_with("/nodes/0/inputs/X", "image"),
            "operation 0 (CONV_FPROP): its input 'image' is not among the tensors");
  EXPECT_EQ(mistake_with("/nodes/0/inputs/X", "product"),
            "operation 0 (CONV_FPROP): its input 'product' is computed by no operation before it");
  EXPECT_EQ(mistake_with("/nodes/1/outputs/OUT_0", "x"),
            "operation 1 (POINTWISE): its output 'x' is read or written by an operation before it");
  EXPECT_EQ(mistake_with("/tensors/unused", Json::object()), "tensor 'unused' is in no operation");
}

TEST(CudnnFrontend, DataTypesAndShapesAreChecked) {
  EXPECT_EQ(mistake_with("/tensors/x/data_type", "FLOAT16"),
            "tensor 'x': \"FLOAT16\" is not allowed for 'data_type'");
  EXPECT_EQ(mistake_with("/context/io_data_type", "FLOAT16"),
            "the graph's context: \"FLOAT16\" is not allowed for 'io_data_type'");
  EXPECT_EQ(mistake_with("/tensors/x/stride", Json::array({224, 16, 1})),
            "tensor 'x': [8, 16, 14, 14] and its strides [224, 16, 1] differ in number");
  EXPECT_EQ(mistake_with("/tensors/weight", {{"dim", {32, 16, 3}}, {"stride", {48, 3, 1}}}),
            "operation 0 (CONV_FPROP): X [8, 16, 14, 14] has another number of dimensions than W "
            "[32, 16, 3]");
  EXPECT_EQ(mistake_with("/nodes/0/stride", Json::array({1})),
            "operation 0 (CONV_FPROP): W [32, 16, 3, 3], X [8, 16, 14, 14]: 'stride' is [1]; it is "
            "a list with a number for each dimension but the first two");
  Json twice = convolution();
  for (const char* name : {"x", "weight"})
    twice["tensors"][name].update({{"uid", 7}, {"uid_assigned", true}});
  EXPECT_NE(mistake_in(twice.dump()).find("been already assigned"), std::string::npos)
      << mistake_in(twice.dump());
  EXPECT_NE(mistake_with("/nodes/0/pre_padding", nullptr).find("Pre padding not set"),
            std::string::npos);
}

TEST(CudnnFrontend, NullIsNotGiven) {
  Json graph = convolution();
  graph["context"]["name"] = nullptr;
  graph["tensors"]["y"]["data_type"] = nullptr;
  graph["nodes"][0]["math_mode"] = nullptr;
  graph["nodes"][1]["axis"] = nullptr;
  EXPECT_EQ(mistake_in(graph.dump()), "");
}

TEST(CudnnFrontend, MessagesHaveTheNameThatTheGraphGivesAnOperation) {
  EXPECT_TRUE(mistake_with("/nodes/1/name", "rectify").empty());
  Json graph = convolution();
  graph["nodes"][1]["name"] = "rectify";
  graph["nodes"][1]["mode"] = "ADD";
  EXPECT_EQ(mistake_in(graph.dump()).substr(0, 36), "operation 1 (POINTWISE 'rectify') la");
}

TEST(CudnnFrontend, ScalarsHaveAValue) {
  Json graph = convolution();
  graph["tensors"]["slope"] = {{"is_pass_by_value", true}};
  graph["nodes"][1]["mode"] = "MUL";
  graph["nodes"][1]["inputs"]["IN_1"] = "slope";
  EXPECT_EQ(mistake_in(graph.dump()),
            "tensor 'slope' is passed by value and has none: \"pass_by_value\": {\"index\": 3, "
            "\"value\": 1e-5} is a float");
  graph["tensors"]["slope"]["pass_by_value"] = {{"index", 3}, {"value", 0.5}};
  EXPECT_EQ(mistake_in(graph.dump()), "");
  graph["tensors"]["slope"]["pass_by_value"]["value"] = "3F000000";  // as cudnn-frontend writes it
  EXPECT_EQ(mistake_in(graph.dump()), "");
}

TEST(CudnnFrontend, WhatCudnnCannotDoIsUnsupportedAndNoMistake) {
  const std::string reason = mistake_in(R"({
    "context": {"name": "attention", "io_data_type": "HALF", "intermediate_data_type": "FLOAT",
                "compute_data_type": "FLOAT"},
    "tensors": {"q": {"dim": [1, 2, 64, 60], "stride": [7680, 3840, 60, 1]},
                "k": {"dim": [1, 2, 64, 60], "stride": [7680, 3840, 60, 1]},
                "v": {"dim": [1, 2, 64, 60], "stride": [7680, 3840, 60, 1]},
                "o": {"dim": [1, 2, 64, 60], "stride": [7680, 3840, 60, 1]}},
    "nodes": [{"tag": "SDPA", "inputs": {"Q": "q", "K": "k", "V": "v"}, "outputs": {"O": "o"},
               "attn_scale_value": 0.125}]})");
  EXPECT_TRUE(reason.starts_with("unsupported: cuDNN 9.")) << reason;
  EXPECT_NE(reason.find("validate of 'attention': "), std::string::npos) << reason;
  EXPECT_NE(reason.find("hidden_dim"), std::string::npos) << reason;
}

TEST(CudnnFrontend, TheLibraryThatIsLoadedSaysItsVersion) {
  EXPECT_TRUE(version().starts_with("9.")) << version();
}

}  // namespace
}  // namespace plumbline::cudnn
