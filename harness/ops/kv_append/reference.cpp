#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/index_put.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

/// A random permutation of the keys' places, made by sorting them.
at::Tensor permutation(const at::Tensor& keys) { return at::argsort(keys, std::int64_t{0}); }

std::vector<InputSpec> inputs(const Problem& p) {
  const auto tokens = p.integer("tokens"), blocks = p.integer("blocks");
  const auto block_size = p.integer("block_size");
  const std::vector<std::int64_t> one{tokens, p.integer("kv_heads"), p.integer("head_dim")};
  const std::vector<std::int64_t> cache{blocks, block_size, one[1], one[2]};
  InputSpec slot{.name = "slot", .shape = {blocks * block_size}, .dtype = DType::float32};
  slot.arrange = [tokens](const at::Tensor& keys) {
    return permutation(keys).slice(0, 0, tokens).contiguous();
  };
  if (p.text("slots") == "consecutive") {
    slot.shape = {blocks};
    slot.arrange = [tokens, block_size](const at::Tensor& keys) {
      const at::Tensor first = (permutation(keys) * block_size).unsqueeze(1);
      const at::Tensor slots = first + at::arange(block_size, first.options());
      return slots.flatten().slice(0, 0, tokens).contiguous();
    };
  }
  return {{.name = "key_cache", .shape = cache, .dtype = p.dtype()},
          {.name = "value_cache", .shape = cache, .dtype = p.dtype()},
          {.name = "key", .shape = one, .dtype = p.dtype()},
          {.name = "value", .shape = one, .dtype = p.dtype()},
          slot};
}

/// Both caches. Uses general indexed assignment by block and place; LibTorch copies by slot.
Results reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor& slot = inputs[4];
  const at::Tensor block = slot.floor_divide(p.integer("block_size"));
  const at::Tensor place = slot.remainder(p.integer("block_size"));
  return Tensors{at::index_put(inputs[0], {block, place}, inputs[2]),
                 at::index_put(inputs[1], {block, place}, inputs[3])};
}

}  // namespace

Definition kv_append_definition() {
  return {.inputs = inputs, .reference = reference, .is_mutating = true};
}

}  // namespace plumbline
