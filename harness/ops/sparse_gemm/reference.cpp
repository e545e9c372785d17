#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros_like.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

/// Keeps the two elements of greater magnitude of each four in a row.
at::Tensor two_of_four(const at::Tensor& dense) {
  const at::Tensor fours = dense.reshape({-1, 4});
  const at::Tensor kept = std::get<1>(at::topk(at::abs(fours), 2));
  return at::zeros_like(fours).scatter_(1, kept, fours.gather(1, kept)).reshape(dense.sizes());
}

std::vector<InputSpec> inputs(const Problem& p) {
  const auto m = p.integer("m"), n = p.integer("n"), k = p.integer("k");
  std::vector<std::int64_t> shape_b{k, n};
  if (p.flag("transpose_b")) std::swap(shape_b[0], shape_b[1]);
  return {{.name = "a", .shape = {m, k}, .dtype = p.dtype(), .arrange = two_of_four},
          {.name = "b", .shape = shape_b, .dtype = p.dtype()}};
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  return at::matmul(inputs[0], p.flag("transpose_b") ? inputs[1].t() : inputs[1]);
}

}  // namespace

Definition sparse_gemm_definition() { return {inputs, reference}; }

}  // namespace plumbline
