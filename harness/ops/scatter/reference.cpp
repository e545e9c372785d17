#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/zeros.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

/// Distinct indices: the first ones of a random permutation of the columns, made by sorting random
/// keys.
std::vector<InputSpec> inputs(const Problem& p) {
  const auto rows = p.integer("rows"), cols = p.integer("cols"), updates = p.integer("updates");
  return {{.name = "x", .shape = {rows, updates}, .dtype = p.dtype()},
          {.name = "index",
           .shape = {rows, cols},
           .dtype = DType::float32,
           .is_differentiable = false,
           .arrange = [updates](const at::Tensor& keys) {
             return at::argsort(keys, std::int64_t{1}).slice(1, 0, updates).contiguous();
           }}};
}

/// Uses general indexed assignment.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto rows = p.integer("rows");
  const at::Tensor row = at::arange(rows, inputs[1].options()).reshape({rows, 1});
  const at::Tensor zeros = at::zeros({rows, p.integer("cols")}, inputs[0].options());
  return at::index_put(zeros, {row, inputs[1]}, inputs[0]);
}

}  // namespace

Definition scatter_definition() { return {inputs, reference}; }

}  // namespace plumbline
