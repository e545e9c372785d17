#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<std::int64_t> stored_shape(const Problem& p, std::int64_t rows, std::int64_t cols,
                                       bool is_transposed) {
  if (is_transposed) std::swap(rows, cols);
  if (p.integer("batch") == 1) return {rows, cols};
  return {p.integer("batch"), rows, cols};
}

std::vector<InputSpec> inputs(const Problem& p) {
  const auto m = p.integer("m"), n = p.integer("n"), k = p.integer("k");
  std::vector<InputSpec> specs{
      {.name = "a", .shape = stored_shape(p, m, k, p.flag("transpose_a")), .dtype = p.dtype()},
      {.name = "b", .shape = stored_shape(p, k, n, p.flag("transpose_b")), .dtype = p.dtype()}};
  if (p.text("epilogue") == "bias")
    specs.push_back({.name = "bias", .shape = {n}, .dtype = p.dtype()});
  return specs;
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor a = p.flag("transpose_a") ? inputs[0].mT() : inputs[0];
  const at::Tensor b = p.flag("transpose_b") ? inputs[1].mT() : inputs[1];
  const at::Tensor product = at::matmul(a, b);
  return p.text("epilogue") == "bias" ? product + inputs[2] : product;
}

}  // namespace

Definition gemm_definition() { return {inputs, reference}; }

}  // namespace plumbline
