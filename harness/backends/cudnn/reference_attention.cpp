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

#include "backends/cudnn/reference_parts.h"

namespace plumbline::cudnn {
namespace {

/// Attributes of which the formulas below know, and those that change nothing of the result.
constexpr std::array<std::string_view, 14> kKnown{"tag",
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
                                                  "is_deterministic_algorithm"};

void check(const Operation& operation) {
  for (const auto& [key, value] : operation.node.items()) {
    const bool is_off = value.is_null() || value == false;
    if (!is_off && std::ranges::find(kKnown, key) == kKnown.end())
      throw NoFormula(operation.tag() + " with '" + key + "'");
  }
  if (operation.node.value("right_bound", Json(0)) != 0)
    throw NoFormula(operation.tag() + " with 'right_bound' other than 0");
  if (operation.node.value("diagonal_alignment", "TOP_LEFT") != "TOP_LEFT")
    throw NoFormula(operation.tag() + " with 'diagonal_alignment' other than TOP_LEFT");
  const std::vector<std::string> ports{"Q",         "K",         "V",         "O",
                                       "dO",        "Stats",     "Descale_Q", "Descale_K",
                                       "Descale_V", "Descale_S", "Scale_S",   "Scale_O"};
  for (const auto& [port, value] : operation.inputs)
    if (std::ranges::find(ports, port) == ports.end())
      throw NoFormula(operation.tag() + " with the input " + port);
}

/// One key head for each query head.
at::Tensor repeated(const at::Tensor& keys, std::int64_t heads) {
  return keys.repeat_interleave(heads / keys.size(1), 1);
}

/// Times what there is at these ports: the scales of 8-bit numbers.
at::Tensor times(const Operation& operation, at::Tensor product,
                 std::initializer_list<const char*> ports) {
  for (const char* port : ports)
    if (operation.inputs.contains(port)) product = product * operation.input(port);
  return product;
}

at::Tensor largest(const at::Tensor& values) {
  return at::amax(at::abs(values), {0, 1, 2, 3}, /*keepdim=*/true);
}

at::Tensor scores(const Operation& operation, const at::Tensor& keys, double scale) {
  const at::Tensor& queries = operation.input("Q");
  const at::Tensor all = times(operation, at::matmul(queries, keys.transpose(2, 3)) * scale,
                               {"Descale_Q", "Descale_K"});
  const Json& node = operation.node;
  const bool is_causal =
      node.value("causal_mask", false) || !node.value("right_bound", Json()).is_null();
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

}  // namespace

NamedValues attention(const Operation& operation) {
  check(operation);
  const at::Tensor& queries = operation.input("Q");
  const std::int64_t heads = queries.size(1);
  const at::Tensor keys = repeated(operation.input("K"), heads);
  const at::Tensor values = repeated(operation.input("V"), heads);
  const double scale = operation.node.value("attn_scale_value", 1.0);
  const at::Tensor scored = scores(operation, keys, scale);
  const at::Tensor statistics = at::logsumexp(scored, -1, /*keepdim=*/true);
  const at::Tensor weights = at::exp(scored - statistics);
  if (operation.tag() == "SDPA") {
    const at::Tensor kept = times(operation, weights, {"Scale_S"});
    const at::Tensor output =
        times(operation, at::matmul(kept, values), {"Descale_S", "Descale_V"});
    return {{"O", times(operation, output, {"Scale_O"})},
            {"Stats", statistics},
            {"Amax_S", largest(weights)},
            {"Amax_O", largest(output)}};
  }
  const at::Tensor& gradient = operation.input("dO");
  const at::Tensor of_weights = at::matmul(gradient, values.transpose(2, 3));
  const at::Tensor of_scores =
      weights * (of_weights - at::sum(of_weights * weights, -1, /*keepdim=*/true)) * scale;
  return {{"dQ", at::matmul(of_scores, keys)},
          {"dK",
           gathered(at::matmul(of_scores.transpose(2, 3), queries), operation.input("K").size(1))},
          {"dV",
           gathered(at::matmul(weights.transpose(2, 3), gradient), operation.input("V").size(1))}};
}

}  // namespace plumbline::cudnn
