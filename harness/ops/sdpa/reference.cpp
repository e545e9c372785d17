#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sum.h>

#include <cmath>
#include <limits>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"

namespace plumbline {
namespace {

std::int64_t kv_heads(const Problem& p) {
  const auto given = p.integer("kv_heads");
  return given == 0 ? p.integer("heads") : given;
}

/// Scores of standard deviation 4/3: a query prefers some keys, as in a trained network. With flat
/// attention, the rounding errors of early queries would exceed the gradients of late ones.
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

/// The keys that rows [begin, end) must not see; row i holds query i % q_len.
at::Tensor hidden_keys(std::int64_t begin, std::int64_t end, std::int64_t q_len,
                       std::int64_t kv_len, const at::TensorOptions& options) {
  const at::Tensor query = at::arange(begin, end, options.dtype(at::kLong)).remainder(q_len);
  return at::arange(kv_len, options.dtype(at::kLong)) > query.reshape({-1, 1});
}

/// Queries of heads that share a key head are stacked, so that one matrix product serves them and
/// no key is copied. A block is the scores of several key heads, or some rows of one. Powers
/// overwrite the scores, and rows are divided by their sums last.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto groups = p.integer("batch") * kv_heads(p);
  const auto rows = p.integer("heads") / kv_heads(p) * p.integer("q_len");
  const auto q_len = p.integer("q_len"), kv_len = p.integer("kv_len");
  const auto head_dim = p.integer("head_dim");
  const BlockGrid grid{.outer = groups, .inner = rows, .bytes_each = kv_len * 8};
  const BlockFunction attention = [=, is_causal = p.flag("causal")](
                                      const Tensors& block, std::int64_t begin, std::int64_t end) {
    const at::Tensor query = block[0].slice(1, begin, end);
    at::Tensor scores = at::matmul(query, block[1].mT()) / std::sqrt(double(head_dim));
    if (is_causal)
      scores = scores.masked_fill(hidden_keys(begin, end, q_len, kv_len, scores.options()),
                                  -std::numeric_limits<double>::infinity());
    const at::Tensor powers = at::exp(scores - at::amax(scores, -1, /*keepdim=*/true).detach());
    const at::Tensor weights = powers / at::sum(powers, -1, /*keepdim=*/true);
    return at::matmul(weights, block[2]);
  };
  const at::Tensor output = in_blocks(
      grid,
      {inputs[0].reshape({groups, rows, head_dim}), inputs[1].reshape({groups, kv_len, head_dim}),
       inputs[2].reshape({groups, kv_len, head_dim})},
      {}, attention);
  return output.reshape({p.integer("batch"), p.integer("heads"), q_len, head_dim});
}

}  // namespace

Definition sdpa_definition() { return {inputs, reference}; }

}  // namespace plumbline
