#include <ATen/ops/matmul.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  const auto m = p.integer("m"), n = p.integer("n"), k = p.integer("k");
  constexpr Distribution kAll{Distribution::Kind::integer, -128, 128};
  std::vector<std::int64_t> shape_b{k, n};
  if (p.flag("transpose_b")) std::swap(shape_b[0], shape_b[1]);
  return {{.name = "a", .shape = {m, k}, .dtype = DType::int8, .distribution = kAll},
          {.name = "b", .shape = shape_b, .dtype = DType::int8, .distribution = kAll}};
}

/// In float64, which holds every sum exactly.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor b = p.flag("transpose_b") ? inputs[1].t() : inputs[1];
  return at::matmul(inputs[0].to(at::kDouble), b.to(at::kDouble)).to(at::kInt);
}

}  // namespace

Definition int8_gemm_definition() { return {inputs, reference}; }

}  // namespace plumbline
