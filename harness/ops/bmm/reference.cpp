#include <ATen/ops/mm.h>
#include <ATen/ops/stack.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<std::int64_t> stored_shape(const Problem& p, std::int64_t rows, std::int64_t cols,
                                       bool is_transposed) {
  if (is_transposed) std::swap(rows, cols);
  return {p.integer("batch"), rows, cols};
}

std::vector<InputSpec> inputs(const Problem& p) {
  const auto m = p.integer("m"), n = p.integer("n"), k = p.integer("k");
  return {{.name = "a", .shape = stored_shape(p, m, k, p.flag("transpose_a")), .dtype = p.dtype()},
          {.name = "b", .shape = stored_shape(p, k, n, p.flag("transpose_b")), .dtype = p.dtype()}};
}

/// Uses no batched kernel: computes one product after the other.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor a = p.flag("transpose_a") ? inputs[0].mT() : inputs[0];
  const at::Tensor b = p.flag("transpose_b") ? inputs[1].mT() : inputs[1];
  // Unbound, because with indexing each product has a gradient as large as the batch.
  const Tensors lefts = a.unbind(0), rights = b.unbind(0);
  Tensors products;
  for (std::size_t i = 0; i < lefts.size(); ++i) products.push_back(at::mm(lefts[i], rights[i]));
  return at::stack(products);
}

}  // namespace

Definition bmm_definition() { return {inputs, reference}; }

}  // namespace plumbline
