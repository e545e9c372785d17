#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/index.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>

#include "backends/implementation.h"

namespace plumbline {
namespace {

/// Queries and keys for scores of standard deviation 4/3: flat attention would be the mean of the
/// values, whatever the scores.
constexpr Distribution kUneven{Distribution::Kind::uniform, -2, 2};

/// A random permutation of the keys' places, made by sorting them.
at::Tensor permutation(const at::Tensor& keys) { return at::argsort(keys, std::int64_t{0}); }

/// `count` lengths from shortest to longest, evenly spread: the i-th and the i-th last add up to
/// shortest + longest.
at::Tensor spread(std::int64_t count, std::int64_t shortest, std::int64_t longest,
                  const at::TensorOptions& options) {
  const at::Tensor step = at::arange(count, options);
  const at::Tensor from_below = step * (longest - shortest) / std::max<std::int64_t>(count - 1, 1);
  const at::Tensor short_half = shortest + from_below.floor();
  const at::Tensor long_half = (shortest + longest - short_half).flip(0);
  return at::where(2 * step + 1 <= count, short_half, long_half);
}

InputSpec lengths(const Problem& p) {
  const auto longest = p.integer("context"), sequences = p.integer("sequences");
  const auto given = p.integer("shortest_context");
  const auto shortest = given == 0 ? longest : given;
  return {.name = "length",
          .shape = {sequences},
          .dtype = DType::float32,
          .arrange = [=](const at::Tensor& keys) {
            const at::TensorOptions options = keys.options().dtype(at::kDouble);
            return spread(sequences, shortest, longest, options)
                .index_select(0, permutation(keys))
                .to(at::kInt);
          }};
}

/// Every block of the cache belongs to one sequence.
std::vector<InputSpec> inputs(const Problem& p) {
  const auto sequences = p.integer("sequences"), block_size = p.integer("block_size");
  const auto head_dim = p.integer("head_dim");
  const auto columns = (p.integer("context") + block_size - 1) / block_size;
  const std::vector<std::int64_t> cache{sequences * columns, block_size, p.integer("kv_heads"),
                                        head_dim};
  std::vector<InputSpec> specs{
      {.name = "query",
       .shape = {sequences, p.integer("heads"), head_dim},
       .dtype = p.dtype(),
       .distribution = kUneven},
      {.name = "key_cache", .shape = cache, .dtype = p.dtype(), .distribution = kUneven},
  };
  if (p.integer("latent") == 0)
    specs.push_back({.name = "value_cache", .shape = cache, .dtype = p.dtype()});
  specs.push_back({.name = "block_table",
                   .shape = {sequences * columns},
                   .dtype = DType::float32,
                   .arrange = [=](const at::Tensor& keys) {
                     return permutation(keys).reshape({sequences, columns}).to(at::kInt);
                   }});
  specs.push_back(lengths(p));
  return specs;
}

/// One sequence after the other, over exactly its tokens: no mask is needed.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto heads = p.integer("heads"), kv_heads = p.integer("kv_heads");
  const auto head_dim = p.integer("head_dim");
  const at::Tensor table = inputs[inputs.size() - 2].to(at::kLong);
  const at::Tensor length = inputs.back().to(at::kCPU);
  const auto latent = p.integer("latent");
  Tensors outputs;
  for (std::int64_t s = 0; s < p.integer("sequences"); ++s) {
    const auto tokens = length[s].item<std::int64_t>();
    const auto of_cache = [&](const at::Tensor& cache) {
      return at::index(cache, {table[s]}).flatten(0, 1).slice(0, 0, tokens).transpose(0, 1);
    };
    const at::Tensor keys = of_cache(inputs[1]);
    const at::Tensor values = latent == 0 ? of_cache(inputs[2]) : keys.slice(2, 0, latent);
    const at::Tensor query = inputs[0][s].reshape({kv_heads, heads / kv_heads, head_dim});
    const at::Tensor scores = at::matmul(query, keys.mT());
    const at::Tensor weights = at::softmax(scores / std::sqrt(double(head_dim)), -1);
    outputs.push_back(at::matmul(weights, values).flatten(0, 1));
  }
  return at::stack(outputs);
}

}  // namespace

Definition paged_attention_definition() { return {inputs, reference}; }

}  // namespace plumbline
