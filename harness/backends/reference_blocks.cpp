#include "backends/reference_blocks.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <algorithm>

#include "backends/block_bytes.h"

namespace plumbline {
namespace {

using OneBlock = std::function<at::Tensor(const Tensors& inputs)>;

/// Not synchronised: one thread computes references.
std::int64_t limit_bytes = kBlockBytes;

/// A function, stored among the values that autograd keeps for a node.
struct KeptFunction final : torch::CustomClassHolder {
  explicit KeptFunction(OneBlock f) : function(std::move(f)) {}
  OneBlock function;
};

/// Keeps only its inputs, which are views of tensors that live anyway.
class Recomputed final : public torch::autograd::Function<Recomputed> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const OneBlock& function,
                            at::TensorList inputs) {
    context->save_for_backward(inputs.vec());
    context->saved_data["function"] =
        c10::IValue::make_capsule(c10::make_intrusive<KeptFunction>(function));
    return function(inputs.vec());
  }

  static Tensors backward(torch::autograd::AutogradContext* context, const Tensors& gradients) {
    Tensors inputs, leaves;
    for (const at::Tensor& saved : context->get_saved_variables()) {
      inputs.push_back(saved.variable_data().set_requires_grad(saved.requires_grad()));
      if (saved.requires_grad()) leaves.push_back(inputs.back());
    }
    const auto kept = context->saved_data["function"].toCapsule();
    Tensors found;
    {
      const at::AutoGradMode recording(true);
      const at::Tensor result = static_cast<const KeptFunction&>(*kept).function(inputs);
      found = torch::autograd::grad({result}, leaves, {gradients.front()});
    }
    Tensors all{at::Tensor()};  // for the function itself, which has no gradient
    auto next = found.begin();
    for (const at::Tensor& input : inputs)
      all.push_back(input.requires_grad() ? *next++ : at::Tensor());
    return all;
  }
};

at::Tensor joined(const Tensors& parts, std::int64_t dimension) {
  return parts.size() == 1 ? parts.front() : at::cat(parts, dimension);
}

}  // namespace

std::int64_t block_bytes() { return limit_bytes; }

BlockLimit::BlockLimit(std::int64_t bytes) : before_(limit_bytes) { limit_bytes = bytes; }
BlockLimit::~BlockLimit() { limit_bytes = before_; }

at::Tensor in_blocks(const BlockGrid& grid, const Tensors& split, const Tensors& whole,
                     const BlockFunction& function) {
  const std::int64_t fitting = std::max<std::int64_t>(limit_bytes / grid.bytes_each, 1);
  const std::int64_t outer = std::clamp<std::int64_t>(fitting / grid.inner, 1, grid.outer);
  const std::int64_t inner = outer > 1 ? grid.inner : std::min(fitting, grid.inner);
  if (outer == grid.outer && inner == grid.inner) {
    Tensors inputs = split;
    inputs.insert(inputs.end(), whole.begin(), whole.end());
    return function(inputs, 0, grid.inner);
  }
  // Split all at once: otherwise each slice has a gradient as large as the whole tensor.
  std::vector<Tensors> blocks;
  for (const at::Tensor& tensor : split) {
    const Tensors parts = tensor.split(outer, 0);
    blocks.resize(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) blocks[i].push_back(parts[i]);
  }
  Tensors results;
  for (Tensors& inputs : blocks) {
    inputs.insert(inputs.end(), whole.begin(), whole.end());
    Tensors parts;
    for (std::int64_t begin = 0; begin < grid.inner; begin += inner) {
      const std::int64_t end = std::min(begin + inner, grid.inner);
      const OneBlock block = [function, begin, end](const Tensors& given) {
        return function(given, begin, end);
      };
      parts.push_back(Recomputed::apply(block, at::TensorList(inputs)));
    }
    results.push_back(joined(parts, grid.inner_dimension));
  }
  return joined(results, 0);
}

at::Tensor in_row_blocks(std::int64_t bytes_of_row, const Tensors& split, const Tensors& whole,
                         const std::function<at::Tensor(const Tensors& inputs)>& function) {
  const BlockGrid grid{.outer = split.front().size(0), .inner = 1, .bytes_each = bytes_of_row};
  return in_blocks(
      grid, split, whole,
      [function](const Tensors& inputs, std::int64_t, std::int64_t) { return function(inputs); });
}

}  // namespace plumbline
