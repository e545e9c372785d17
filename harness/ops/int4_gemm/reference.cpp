#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  const auto m = p.integer("m"), n = p.integer("n"), k = p.integer("k"), group = p.integer("group");
  return {{.name = "a", .shape = {m, k}, .dtype = p.dtype()},
          {.name = "codes",
           .shape = {n, k / 2},
           .dtype = DType::uint8,
           .distribution = {Distribution::Kind::integer, 0, 256}},
          {.name = "scale",
           .shape = {k / group, n},
           .dtype = p.dtype(),
           .distribution = {Distribution::Kind::uniform, 0.05, 0.2}},
          {.name = "zero", .shape = {k / group, n}, .dtype = p.dtype()}};
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto n = p.integer("n"), k = p.integer("k"), group = p.integer("group");
  const at::Tensor upper = inputs[1].floor_divide(16), lower = inputs[1].remainder(16);
  const at::Tensor codes = at::stack({upper, lower}, 2).reshape({n, k / group, group});
  const at::Tensor scale = inputs[2].t().unsqueeze(2), zero = inputs[3].t().unsqueeze(2);
  const at::Tensor weights = (codes.to(at::kDouble) - 8) * scale + zero;
  return at::matmul(inputs[0], weights.reshape({n, k}).t());
}

}  // namespace

Definition int4_gemm_definition() { return {inputs, reference}; }

}  // namespace plumbline
