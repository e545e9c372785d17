/// Formulas of attention, convolutions and pooling with every attribute that changes them.
#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/sum.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backends/cudnn/reference/reference.h"

namespace plumbline::cudnn {
namespace {

using Json = nlohmann::json;

/// Different numbers from -1 to 1.
at::Tensor numbers(std::initializer_list<std::int64_t> dims, double seed) {
  std::int64_t count = 1;
  for (const std::int64_t size : dims) count *= size;
  return at::sin(at::arange(count, at::kDouble) * 12.9898 + seed).reshape(dims);
}

at::Tensor number(double value) { return at::full({1, 1, 1, 1}, value, at::kDouble); }

/// The graph of one operation, with its tensors named as its ports.
NamedValues computed(const std::string& tag, const Json& attributes, const NamedValues& inputs,
                     const std::vector<std::string>& outputs,
                     const Json& tensors = Json::object()) {
  Json graph{{"tensors", tensors}, {"nodes", Json::array()}};
  Json node = attributes;
  node["tag"] = tag;
  for (const auto& [name, value] : inputs) {
    node["inputs"][name] = name;
    graph["tensors"][name]["name"] = name;
  }
  for (const std::string& name : outputs) {
    node["outputs"][name] = name;
    graph["tensors"][name]["name"] = name;
  }
  graph["nodes"].push_back(node);
  return reference(graph.dump(), inputs);
}

const NamedValues kAttention{{"Q", numbers({1, 2, 4, 8}, 1)},
                             {"K", numbers({1, 2, 4, 8}, 2)},
                             {"V", numbers({1, 2, 4, 8}, 3)}};

at::Tensor attention(const Json& attributes) {
  return computed("SDPA", attributes, kAttention, {"O"}).at("O");
}

TEST(CudnnFormulas, AttentionIsReadAsCudnnFrontendWritesIt) {
  const at::Tensor plain = attention({{"attn_scale_value", 0.125}});
  EXPECT_TRUE(at::allclose(attention({{"attn_scale_value", "3E000000"}}), plain));
  EXPECT_TRUE(at::allclose(attention({{"attn_scale_value", 0.125},
                                      {"right_bound", nullptr},
                                      {"left_bound", nullptr},
                                      {"dropout_probability", nullptr},
                                      {"alibi_mask", false},
                                      {"generate_stats", false}}),
                           plain));
  EXPECT_TRUE(at::allclose(attention({{"attn_scale_value", nullptr}}), attention(Json::object())));
  EXPECT_FALSE(at::allclose(attention(Json::object()), plain));
  EXPECT_FALSE(at::allclose(attention({{"attn_scale_value", 0.125}, {"right_bound", 0}}), plain));
  EXPECT_THROW(attention({{"right_bound", 1}}), NoFormula);
  EXPECT_THROW(attention({{"attn_scale_value", "an eighth"}}), NoFormula);
}

/// Stats and O in a suite's graph are random: the gradients follow from the given values.
TEST(CudnnFormulas, AttentionBackwardReadsTheStatisticsAndTheOutputThatItIsGiven) {
  NamedValues inputs = kAttention;
  inputs["dO"] = numbers({1, 2, 4, 8}, 4);
  inputs["O"] = numbers({1, 2, 4, 8}, 5);
  inputs["Stats"] = numbers({1, 2, 4, 1}, 6);
  const auto written = computed("SDPA_BWD", Json::object(), inputs, {"dQ", "dK", "dV"});
  const at::Tensor weights = at::exp(at::matmul(inputs["Q"], inputs["K"].mT()) - inputs["Stats"]);
  EXPECT_TRUE(at::allclose(written.at("dV"), at::matmul(weights.mT(), inputs["dO"])));
  const at::Tensor of_rows = at::sum(inputs["dO"] * inputs["O"], -1, true);
  const at::Tensor of_scores = weights * (at::matmul(inputs["dO"], inputs["V"].mT()) - of_rows);
  EXPECT_TRUE(at::allclose(written.at("dQ"), at::matmul(of_scores, inputs["K"])));
}

/// Operands that are stored smaller, with scales that compensate, have the gradients of the
/// original operands; maxima are taken before results are scaled.
TEST(CudnnFormulas, ScalesOfAttentionBackwardInEightBitsUndoOneAnother) {
  NamedValues plain = kAttention;
  plain["dO"] = numbers({1, 2, 4, 8}, 4);
  const auto forward = computed("SDPA", Json::object(), kAttention, {"O", "Stats"});
  plain["O"] = forward.at("O");
  plain["Stats"] = forward.at("Stats");
  const auto expected =
      computed("SDPA_BWD", {{"attn_scale_value", 1.0}}, plain, {"dQ", "dK", "dV"});
  NamedValues scaled = plain;
  double factor = 2;
  for (const char* name : {"Q", "K", "V", "O", "dO"}) {
    scaled[name] = plain[name] / factor;
    scaled[std::string("Descale_") + name] = number(factor);
    factor *= 2;
  }
  scaled["Scale_S"] = number(256);
  scaled["Descale_S"] = number(1.0 / 256);
  scaled["Scale_dP"] = number(8);
  scaled["Descale_dP"] = number(1.0 / 8);
  for (const char* name : {"Scale_dQ", "Scale_dK", "Scale_dV"}) scaled[name] = number(16);
  const auto written = computed("SDPA_FP8_BWD", {{"attn_scale_value", 1.0}}, scaled,
                                {"dQ", "dK", "dV", "Amax_dQ", "Amax_dK", "Amax_dV", "Amax_d"});
  for (const char* name : {"dQ", "dK", "dV"}) {
    EXPECT_TRUE(at::allclose(written.at(name), expected.at(name) * 16)) << name;
    EXPECT_DOUBLE_EQ(written.at(std::string("Amax_") + name).item<double>(),
                     expected.at(name).abs().max().item<double>())
        << name;
  }
}

const Json kWindow{{"pre_padding", {1, 1}}, {"post_padding", {1, 1}}, {"stride", {1, 1}}};

Json with(Json attributes, const Json& more) {
  attributes.update(more);
  return attributes;
}

TEST(CudnnFormulas, AConvolutionRunsItsFilterFromTheEnd) {
  const at::Tensor x = numbers({2, 3, 5, 5}, 1), weight = numbers({4, 3, 3, 3}, 2);
  const Json crossed = with(kWindow, {{"dilation", {1, 1}}});
  const Json flipped = with(crossed, {{"math_mode", "CONVOLUTION"}});
  const auto forward = [&](const Json& attributes) {
    return computed("CONV_FPROP", attributes, {{"X", x}, {"W", weight}}, {"Y"}).at("Y");
  };
  const at::Tensor turned = at::flip(weight, {2, 3});
  EXPECT_TRUE(at::allclose(forward(crossed), at::conv2d(x, weight, {}, 1, 1)));
  EXPECT_TRUE(at::allclose(forward(flipped), at::conv2d(x, turned, {}, 1, 1)));
  const at::Tensor dy = numbers({2, 4, 5, 5}, 3);
  const auto of_image = [&](const Json& attributes, const at::Tensor& w) {
    return computed("CONV_DGRAD", attributes, {{"DY", dy}, {"W", w}}, {"DX"},
                    {{"DX", {{"dim", {2, 3, 5, 5}}}}})
        .at("DX");
  };
  EXPECT_TRUE(at::allclose(of_image(flipped, weight), of_image(crossed, turned)));
  EXPECT_FALSE(at::allclose(of_image(flipped, weight), of_image(crossed, weight)));
  const auto of_filter = [&](const Json& attributes) {
    return computed("CONV_WGRAD", attributes, {{"DY", dy}, {"X", x}}, {"DW"},
                    {{"DW", {{"dim", {4, 3, 3, 3}}}}})
        .at("DW");
  };
  EXPECT_TRUE(at::allclose(of_filter(flipped), at::flip(of_filter(crossed), {2, 3})));
}

TEST(CudnnFormulas, TheLargestOfAWindowMayBeThePadding) {
  const at::Tensor x = at::full({1, 1, 4, 4}, -1.0, at::kDouble);
  const auto corner = [&](const Json& more) {
    const Json attributes =
        with(with(kWindow, {{"window", {3, 3}}, {"generate_index", false}}), more);
    return computed("RESAMPLE", attributes, {{"X", x}}, {"Y"}).at("Y")[0][0][0][0].item<double>();
  };
  EXPECT_EQ(corner({{"resample_mode", "MAXPOOL"}, {"padding_mode", "NEG_INF_PAD"}}), -1);
  EXPECT_EQ(corner({{"resample_mode", "MAXPOOL"}, {"padding_mode", "ZERO_PAD"}}), 0);
  EXPECT_THROW(corner({{"resample_mode", "MAXPOOL"}, {"padding_mode", "EDGE_VAL_PAD"}}), NoFormula);
  EXPECT_EQ(corner({{"resample_mode", "AVGPOOL_EXCLUDE_PADDING"}}), -1);
  EXPECT_EQ(corner({{"resample_mode", "AVGPOOL_INCLUDE_PADDING"}}), -4.0 / 9);
  // Padding before differs from padding after, and is more than half of the window.
  EXPECT_EQ(corner({{"resample_mode", "AVGPOOL_INCLUDE_PADDING"}, {"pre_padding", {2, 2}}}),
            -1.0 / 9);
}

}  // namespace
}  // namespace plumbline::cudnn
