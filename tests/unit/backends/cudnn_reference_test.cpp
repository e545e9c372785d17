/// The reference of a suite's graph, and operations without a formula.
/// tests/unit/ops/cudnn_test.cpp compares ops' own graphs with their references.
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backends/cudnn/reference/reference.h"

namespace plumbline::cudnn {
namespace {

using Json = nlohmann::json;

/// y = relu(a b - 5).
Json product() {
  return Json::parse(R"({
    "tensors": {"a": {"dim": [1, 2, 3]}, "b": {"dim": [1, 3, 2]}, "p": {"is_virtual": true},
                "five": {"is_pass_by_value": true, "pass_by_value": {"index": 3, "value": 5}},
                "q": {"is_virtual": true}, "y": {}},
    "nodes": [{"tag": "MATMUL", "inputs": {"A": "a", "B": "b"}, "outputs": {"C": "p"}},
              {"tag": "POINTWISE", "mode": "SUB", "inputs": {"IN_0": "p", "IN_1": "five"},
               "outputs": {"OUT_0": "q"}},
              {"tag": "POINTWISE", "mode": "RELU_FWD", "inputs": {"IN_0": "q"},
               "outputs": {"OUT_0": "y"}}]})");
}

TEST(CudnnReference, OperationsAreComputedInTheirOrder) {
  const at::Tensor a = at::ones({1, 2, 3}, at::kDouble);
  at::Tensor b = at::full({1, 3, 2}, 2.0, at::TensorOptions().dtype(at::kDouble));
  b[0][0][1] = -9;
  const NamedValues values = reference(product().dump(), {{"a", a}, {"b", b}});
  EXPECT_EQ(values.at("y")[0][0][0].item<double>(), 1);
  EXPECT_EQ(values.at("y")[0][1][1].item<double>(), 0);
  EXPECT_EQ(values.at("q")[0][1][1].item<double>(), -10);
}

TEST(CudnnReference, WhatHasNoFormulaIsNamed) {
  const auto reason = [](const std::string& path, const Json& value) {
    Json graph = product();
    graph[Json::json_pointer(path)] = value;
    const at::Tensor a = at::ones({1, 2, 3}, at::kDouble), b = at::ones({1, 3, 2}, at::kDouble);
    try {
      reference(graph.dump(), {{"a", a}, {"b", b}});
    } catch (const NoFormula& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(reason("/nodes/2/tag", "SLICE"), "no reference is composed for operation SLICE");
  EXPECT_EQ(reason("/nodes/2/mode", "ELU_FWD"), "no reference is composed for POINTWISE ELU_FWD");
  EXPECT_EQ(reason("/nodes/2/relu_upper_clip", 6.0),
            "no reference is composed for POINTWISE RELU_FWD with 'relu_upper_clip'");
  EXPECT_EQ(reason("/nodes/0/inputs/M_override", "five"),
            "no reference is composed for MATMUL with the input M_override");
  EXPECT_EQ(reason("/tensors/five/pass_by_value/value", "40A00000"), "") << "digits of a float";
  EXPECT_EQ(reason("/tensors/five/pass_by_value/value", "five"),
            "no reference is composed for 'value' \"five\", which is neither a number nor the 8 or "
            "16 digits of one's memory");
}

}  // namespace
}  // namespace plumbline::cudnn
