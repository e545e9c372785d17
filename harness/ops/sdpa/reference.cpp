#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>

#include <cmath>
#include <limits>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::int64_t kv_heads(const Problem& p) {
  const auto given = p.integer("kv_heads");
  return given == 0 ? p.integer("heads") : given;
}

/// Scores of standard deviation 4/3: a query prefers some keys, as in a trained network. With flat
/// attention, the gradients of late queries would drown in the rounding of early ones.
constexpr Distribution kUneven{Distribution::Kind::uniform, -2, 2};

std::vector<InputSpec> inputs(const Problem& p) {
  const auto batch = p.integer("batch"), heads = p.integer("heads");
  const auto q_len = p.integer("q_len"), kv_len = p.integer("kv_len");
  const auto head_dim = p.integer("head_dim");
  const std::vector<std::int64_t> kv_shape{batch, kv_heads(p), kv_len, head_dim};
  return {{.name = "query",
           .shape = {batch, heads, q_len, head_dim},
           .dtype = p.dtype(),
           .distribution = kUneven},
          {.name = "key", .shape = kv_shape, .dtype = p.dtype(), .distribution = kUneven},
          {.name = "value", .shape = kv_shape, .dtype = p.dtype()}};
}

/// The queries of the heads that share a key head are stacked, so that one matrix product serves
/// them and no key is copied.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto batch = p.integer("batch"), groups = kv_heads(p);
  const auto heads_per_group = p.integer("heads") / groups;
  const auto q_len = p.integer("q_len"), kv_len = p.integer("kv_len");
  const auto head_dim = p.integer("head_dim");

  const at::Tensor query = inputs[0].reshape({batch, groups, heads_per_group * q_len, head_dim});
  at::Tensor scores = at::matmul(query, inputs[1].mT()) / std::sqrt(double(head_dim));
  if (p.flag("causal")) {
    const at::Tensor hidden = at::ones({q_len, kv_len}, scores.options().dtype(at::kBool)).triu(1);
    scores = scores.reshape({batch, groups, heads_per_group, q_len, kv_len})
                 .masked_fill(hidden, -std::numeric_limits<double>::infinity())
                 .reshape({batch, groups, heads_per_group * q_len, kv_len});
  }
  const at::Tensor powers = at::exp(scores - at::amax(scores, -1, /*keepdim=*/true).detach());
  const at::Tensor weights = powers / at::sum(powers, -1, /*keepdim=*/true);
  return at::matmul(weights, inputs[2]).reshape({batch, p.integer("heads"), q_len, head_dim});
}

}  // namespace

Definition sdpa_definition() { return {inputs, reference}; }

}  // namespace plumbline
