#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>

#include <algorithm>
#include <array>
#include <limits>

#include "backends/cudnn/reference/parts.h"

namespace plumbline::cudnn {
namespace {

/// Attributes that the formulas below handle, and attributes that do not affect the result.
constexpr std::array<std::string_view, 15> kKnown{"tag",
                                                  "name",
                                                  "inputs",
                                                  "outputs",
                                                  "attn_scale_value",
                                                  "right_bound",
                                                  "causal_mask",
                                                  "generate_stats",
                                                  "implementation",
                                                  "diagonal_alignment",
                                                  "mma_core_mode",
                                                  "is_inference",
                                                  "compute_data_type",
                                                  "is_deterministic_algorithm",
                                                  "dropout_probability"};

void check(const Operation& operation) {
  for (const auto& [key, value] : operation.node.items()) {
    const bool is_off = value.is_null() || value == false;
    if (!is_off && std::ranges::find(kKnown, key) == kKnown.end())
      throw NoFormula(operation.tag() + " with '" + key + "'");
  }
  if (number_in(operation.node, "dropout_probability").value_or(0) != 0)
    throw NoFormula(operation.tag() + " with 'dropout_probability'");
  if (number_in(operation.node, "right_bound").value_or(0) != 0)
    throw NoFormula(operation.tag() + " with 'right_bound' other than 0");
  if (operation.node.value("diagonal_alignment", "TOP_LEFT") != "TOP_LEFT")
    throw NoFormula(operation.tag() + " with 'diagonal_alignment' other than TOP_LEFT");
  constexpr std::array<std::string_view, 20> kPorts{
      "Q",         "K",         "V",         "O",         "dO",         "Stats",     "Descale_Q",
      "Descale_K", "Descale_V", "Descale_O", "Descale_S", "Descale_dO", "Scale_S",   "Scale_O",
      "Scale_dQ",  "Scale_dK",  "Scale_dV",  "Scale_dP",  "Descale_dP", "Attn_scale"};
  for (const auto& [port, value] : operation.inputs)
    if (std::ranges::find(kPorts, port) == kPorts.end())
      throw NoFormula(operation.tag() + " with the input " + port);
}

/// Repeats key heads so that each query head has one.
at::Tensor repeated(const at::Tensor& keys, std::int64_t heads) {
  return keys.repeat_interleave(heads / keys.size(1), 1);
}

/// Multiplies by the tensors at these ports, if present: the scales of 8-bit numbers.
at::Tensor times(const Operation& operation, at::Tensor product,
                 std::initializer_list<const char*> ports) {
  for (const char* port : ports)
    if (operation.inputs.contains(port)) product = product * operation.input(port);
  return product;
}

at::Tensor largest(const at::Tensor& values) {
  return at::amax(at::abs(values), {0, 1, 2, 3}, /*keepdim=*/true);
}

/// Multiplies scores by the scale: a number, or a tensor of one element.
at::Tensor scaled(const Operation& operation, const at::Tensor& values) {
  const auto number = number_in(operation.node, "attn_scale_value");
  return times(operation, number ? values * *number : values, {"Attn_scale"});
}

at::Tensor scores(const Operation& operation, const at::Tensor& keys) {
  const at::Tensor& queries = operation.input("Q");
  const at::Tensor all = times(operation, scaled(operation, at::matmul(queries, keys.mT())),
                               {"Descale_Q", "Descale_K"});
  const Json& node = operation.node;
  const bool is_causal = (node.contains("causal_mask") && node["causal_mask"] == true) ||
                         number_in(node, "right_bound").has_value();
  if (!is_causal) return all;
  const at::Tensor seen =
      at::ones({all.size(2), all.size(3)}, all.options().dtype(at::kBool)).tril();
  return all.masked_fill(seen.logical_not(), -std::numeric_limits<double>::infinity());
}

/// Sums over the query heads that share a key head.
at::Tensor gathered(const at::Tensor& gradient, std::int64_t heads) {
  const std::int64_t shared = gradient.size(1) / heads;
  return at::sum(gradient.reshape({gradient.size(0), heads, shared, gradient.size(2), -1}), 2);
}

NamedValues forward(const Operation& operation, const at::Tensor& values,
                    const at::Tensor& statistics, const at::Tensor& weights) {
  const at::Tensor kept = times(operation, weights, {"Scale_S"});
  const at::Tensor output = times(operation, at::matmul(kept, values), {"Descale_S", "Descale_V"});
  return {{"O", times(operation, output, {"Scale_O"})},
          {"Stats", statistics},
          {"Amax_S", largest(weights)},
          {"Amax_O", largest(output)}};
}

/// Uses the given output and statistics, whatever they are: a suite's graph reads them as inputs.
/// With 8 bits, each operand has its own scale, and maxima are taken before results are scaled.
NamedValues backward(const Operation& operation, const at::Tensor& keys, const at::Tensor& values,
                     const at::Tensor& scored) {
  const at::Tensor &gradient = operation.input("dO"), &queries = operation.input("Q");
  const at::Tensor weights = at::exp(scored - operation.input("Stats"));
  const at::Tensor of_rows =
      times(operation, at::sum(gradient * operation.input("O"), -1, /*keepdim=*/true),
            {"Descale_dO", "Descale_O"});
  const at::Tensor of_weights =
      times(operation, at::matmul(gradient, values.mT()), {"Descale_dO", "Descale_V"});
  const at::Tensor of_scores = scaled(operation, weights * (of_weights - of_rows));
  const at::Tensor kept = times(operation, weights, {"Scale_S"});
  const at::Tensor passed = times(operation, of_scores, {"Scale_dP"});
  const at::Tensor dq = times(operation, at::matmul(passed, keys), {"Descale_dP", "Descale_K"});
  const at::Tensor dk =
      times(operation, gathered(at::matmul(passed.mT(), queries), operation.input("K").size(1)),
            {"Descale_dP", "Descale_Q"});
  const at::Tensor dv =
      times(operation, gathered(at::matmul(kept.mT(), gradient), operation.input("V").size(1)),
            {"Descale_S", "Descale_dO"});
  return {{"dQ", times(operation, dq, {"Scale_dQ"})},
          {"dK", times(operation, dk, {"Scale_dK"})},
          {"dV", times(operation, dv, {"Scale_dV"})},
          {"Amax_dQ", largest(dq)},
          {"Amax_dK", largest(dk)},
          {"Amax_dV", largest(dv)},
          {"Amax_d", largest(of_scores)}};
}

}  // namespace

NamedValues attention(const Operation& operation) {
  check(operation);
  const std::int64_t heads = operation.input("Q").size(1);
  const at::Tensor keys = repeated(operation.input("K"), heads);
  const at::Tensor values = repeated(operation.input("V"), heads);
  const at::Tensor scored = scores(operation, keys);
  if (operation.tag().ends_with("BWD")) return backward(operation, keys, values, scored);
  const at::Tensor statistics = at::logsumexp(scored, -1, /*keepdim=*/true);
  return forward(operation, values, statistics, at::exp(scored - statistics));
}

}  // namespace plumbline::cudnn
