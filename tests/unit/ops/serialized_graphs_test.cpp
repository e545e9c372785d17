/// A graph written by cudnn-frontend can be used in a suite: made by its own interface, validated,
/// serialized, read by the suite and built again, all without a GPU.
#include <gtest/gtest.h>

#include "backends/cudnn/graph/open_graph.h"
#include "backends/cudnn/suite_graph.h"
#include "core/run/case.h"
#include "suite/suite.h"
#include "support/small_catalogue.h"
#include "support/source_folder.h"

namespace plumbline::cudnn {
namespace {

using namespace fe::graph;
using Sizes = std::vector<std::int64_t>;

class SerializedGraphs : public testing::Test {
 protected:
  SerializedGraphs() { reset(fe::DataType_t::HALF); }

  void reset(fe::DataType_t type) {
    graph_ = std::make_unique<Graph>();
    graph_->set_io_data_type(type)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT)
        .set_sm_version(90);
  }

  /// Row-major, or channels-last.
  static Sizes strides_of(const Sizes& dims, bool has_channels_last = false) {
    Sizes strides(dims.size(), 1);
    for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
    if (has_channels_last) strides = {dims[1] * dims[2] * dims[3], 1, dims[1] * dims[3], dims[1]};
    return strides;
  }

  FeTensor tensor(const std::string& name, const Sizes& dims, bool has_channels_last = false,
                  std::int64_t uid = 0) {
    Tensor_attributes made;
    made.set_name(name).set_dim(dims).set_stride(strides_of(dims, has_channels_last));
    if (uid != 0) made.set_uid(uid);
    return graph_->tensor(made);
  }

  FeTensor number(const std::string& name) {
    return graph_->tensor(Tensor_attributes()
                              .set_name(name)
                              .set_dim({1, 1, 1, 1})
                              .set_stride({1, 1, 1, 1})
                              .set_data_type(fe::DataType_t::FLOAT));
  }

  static void write(const FeTensor& tensor, const Sizes& dims = {},
                    fe::DataType_t type = fe::DataType_t::NOT_SET) {
    tensor->set_output(true);
    if (!dims.empty()) tensor->set_dim(dims).set_stride(strides_of(dims));
    if (type != fe::DataType_t::NOT_SET) tensor->set_data_type(type);
  }

  /// The operands of the graph after passing through a suite.
  std::vector<GraphOperand> operands(const std::string& dtype = "float16") {
    const fe::error_t status = graph_->validate();
    EXPECT_TRUE(fe::error_t(status).is_good()) << fe::error_t(status).get_message();
    text_ = graph_->print();
    folder_.write("g.json", text_);
    const Suite suite = load_suite(
        folder_.write("s.yaml",
                      "suite: s\nbenchmarks:\n  - {op: cudnn.graph, name: mine, graph: g.json, "
                      "sweep: {dtype: " +
                          dtype + "}}\n"),
        small_catalogue(), {});
    EXPECT_EQ(suite.cases.at(0).unsupported, "");
    return SuiteGraph(suite.cases.at(0), /*is_cuda=*/false).operands();
  }

  bool has(const std::string& text) const { return text_.find(text) != std::string::npos; }

  std::unique_ptr<Graph> graph_;
  SourceFolder folder_;
  std::string text_;
};

const GraphOperand& named(const std::vector<GraphOperand>& operands, const std::string& name) {
  for (const GraphOperand& operand : operands)
    if (operand.name == name) return operand;
  throw std::runtime_error("there is no operand " + name);
}

TEST_F(SerializedGraphs, AttentionWhoseTensorsNameNoType) {
  const Sizes dims{2, 4, 64, 64};
  auto [o, stats] = graph_->sdpa(
      tensor("q", dims), tensor("k", dims), tensor("v", dims),
      SDPA_attributes().set_name("attention").set_attn_scale(0.125f).set_generate_stats(false));
  write(o, dims);
  const auto found = operands();
  ASSERT_EQ(found.size(), 4u);
  for (const GraphOperand& operand : found) EXPECT_EQ(operand.data_type, "HALF") << operand.name;
  EXPECT_TRUE(has("is_mxfp8")) << "what the suite has to leave out";
  EXPECT_TRUE(has("\"3E000000\"")) << "the digits of a float's memory";
}

TEST_F(SerializedGraphs, AttentionBackward) {
  const Sizes dims{2, 4, 64, 64};
  const FeTensor stats = number("stats");
  stats->set_dim({2, 4, 64, 1}).set_stride({256, 64, 1, 1});
  auto [dq, dk, dv] = graph_->sdpa_backward(tensor("q", dims), tensor("k", dims), tensor("v", dims),
                                            tensor("o", dims), tensor("do", dims), stats,
                                            SDPA_backward_attributes().set_attn_scale(0.125f));
  for (const FeTensor& gradient : {dq, dk, dv}) write(gradient, dims);
  const auto found = operands();
  EXPECT_EQ(found.size(), 9u);
  EXPECT_EQ(named(found, "stats").data_type, "FLOAT");
  EXPECT_EQ(named(found, "q").data_type, "HALF");
}

TEST_F(SerializedGraphs, TensorsWithAssignedUidsAreCalledByThem) {
  const FeTensor y = graph_->conv_fprop(
      tensor("x", {4, 16, 14, 14}, true, 7), tensor("w", {16, 16, 3, 3}, true, 11),
      Conv_fprop_attributes().set_padding({1, 1}).set_stride({1, 1}).set_dilation({1, 1}));
  y->set_output(true).set_uid(13);
  const auto found = operands();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(named(found, "13").dims, (Sizes{4, 16, 14, 14}));
  EXPECT_EQ(named(found, "7").uid, 7);
}

TEST_F(SerializedGraphs, AttentionInEightBitsInBothDirections) {
  constexpr auto kFloat8 = fe::DataType_t::FP8_E4M3, kFloat = fe::DataType_t::FLOAT;
  const Sizes dims{2, 4, 64, 128};
  reset(kFloat8);
  auto [o, stats, amax_s, amax_o] = graph_->sdpa_fp8(
      tensor("q", dims), tensor("k", dims), tensor("v", dims), number("dq"), number("dk"),
      number("dv"), number("ds"), number("ss"), number("so"),
      SDPA_fp8_attributes().set_name("a").set_attn_scale(0.125f).set_generate_stats(false));
  write(o, dims);
  for (const FeTensor& largest : {amax_s, amax_o}) write(largest, {1, 1, 1, 1}, kFloat);
  EXPECT_EQ(operands("float8_e4m3fn").size(), 12u);
  EXPECT_TRUE(has("SDPA_FP8_FWD"));

  reset(kFloat8);
  const FeTensor statistics = number("stats");
  statistics->set_dim({2, 4, 64, 1}).set_stride({256, 64, 1, 1});
  const auto written = graph_->sdpa_fp8_backward(
      tensor("q", dims), tensor("k", dims), tensor("v", dims), tensor("o", dims),
      tensor("do", dims), statistics, number("dq"), number("dk"), number("dv"), number("do_"),
      number("ddo"), number("ds"), number("ddp"), number("ss"), number("sdq"), number("sdk"),
      number("sdv"), number("sdp"), SDPA_fp8_backward_attributes().set_attn_scale(0.125f));
  for (std::size_t i = 0; i < written.size(); ++i)
    write(written[i], i < 3 ? dims : Sizes{1, 1, 1, 1}, i < 3 ? kFloat8 : kFloat);
  EXPECT_EQ(operands("float8_e4m3fn").size(), 25u);
  EXPECT_TRUE(has("SDPA_FP8_BWD"));
}

TEST_F(SerializedGraphs, ProductsPointwiseOperationsAndRearrangements) {
  const FeTensor c =
      graph_->matmul(tensor("a", {1, 64, 32}), tensor("b", {1, 32, 16}), Matmul_attributes());
  write(graph_->pointwise(c, Pointwise_attributes()
                                 .set_mode(fe::PointwiseMode_t::RELU_FWD)
                                 .set_relu_lower_clip_slope(0.1f)));
  EXPECT_EQ(operands().size(), 3u);
  EXPECT_TRUE(has("3DCCCCCD"));
  reset(fe::DataType_t::HALF);
  const FeTensor joint = graph_->concatenate({tensor("x", {4, 16, 14}), tensor("y", {4, 8, 14})},
                                             Concatenate_attributes().set_axis(1));
  write(joint);
  const auto found = operands();
  EXPECT_EQ(found.at(2).dims, (Sizes{4, 24, 14}));
  reset(fe::DataType_t::HALF);
  write(graph_->slice(tensor("x", {4, 16, 14}),
                      Slice_attributes().set_slices({{0, 2}, {0, 16}, {1, 14}})));
  EXPECT_EQ(operands().at(1).dims, (Sizes{2, 16, 13}));
  reset(fe::DataType_t::HALF);
  write(graph_->transpose(tensor("x", {4, 16, 14}),
                          Transpose_attributes().set_permutation({0, 2, 1})));
  EXPECT_EQ(operands().at(1).dims, (Sizes{4, 14, 16}));
  reset(fe::DataType_t::HALF);
  write(graph_->reshape(tensor("x", {4, 16, 14}), Reshape_attributes()), {4, 224, 1});
  EXPECT_EQ(operands().at(1).dims, (Sizes{4, 224, 1}));
}

TEST_F(SerializedGraphs, StatisticsOfBatchesInParts) {
  const Sizes channels{1, 16, 1, 1};
  const auto per_channel = [&](const std::string& name) {
    const FeTensor made = tensor(name, channels, true);
    made->set_data_type(fe::DataType_t::FLOAT);
    return made;
  };
  auto [sum, squares] = graph_->genstats(tensor("x", {4, 16, 14, 14}, true), Genstats_attributes());
  for (const FeTensor& written : {sum, squares}) write(written);
  EXPECT_EQ(operands().size(), 3u);
  reset(fe::DataType_t::HALF);
  const auto by_value = [&](const std::string& name, auto value) {
    const FeTensor made = graph_->tensor(value);
    made->set_name(name);
    return made;
  };
  FeTensor mean = per_channel("mean"), variance = per_channel("variance"),
           momentum = by_value("momentum", 0.1f);
  const auto all = graph_->bn_finalize(
      per_channel("sum"), per_channel("squares"), per_channel("scale"), per_channel("bias"),
      by_value("epsilon", 1e-5f), by_value("count", std::int64_t{784}),
      BN_finalize_attributes().set_previous_running_stats(mean, variance, momentum));
  for (const FeTensor& written : all) write(written, {}, fe::DataType_t::FLOAT);
  EXPECT_EQ(operands().size(), 12u);
}

TEST_F(SerializedGraphs, NormsWithTheirNumbers) {
  const FeTensor scale = tensor("s", {1, 256, 1, 1}, true),
                 bias = tensor("b", {1, 256, 1, 1}, true);
  for (const FeTensor& row : {scale, bias}) row->set_data_type(fe::DataType_t::FLOAT);
  auto [y, mean, inverse] = graph_->layernorm(
      tensor("x", {64, 256, 1, 1}, true), scale, bias,
      Layernorm_attributes().set_forward_phase(fe::NormFwdPhase_t::TRAINING).set_epsilon(1e-5f));
  for (const FeTensor& written : {y, mean, inverse}) write(written);
  mean->set_data_type(fe::DataType_t::FLOAT);
  inverse->set_data_type(fe::DataType_t::FLOAT);
  EXPECT_EQ(operands().size(), 6u);
  EXPECT_TRUE(has("\"index\"")) << "a number that is passed by value";
}

}  // namespace
}  // namespace plumbline::cudnn
