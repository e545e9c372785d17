#include "backends/libtorch/libtorch.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>

namespace plumbline {
namespace {

/// A stored transpose is a strided view, as in `x @ weight.t()`: no copy is made.
at::Tensor gemm(const Problem& p, const Tensors& inputs) {
  const at::Tensor a = p.flag("transpose_a") ? inputs[0].mT() : inputs[0];
  const at::Tensor b = p.flag("transpose_b") ? inputs[1].mT() : inputs[1];
  const bool has_bias = p.text("epilogue") == "bias";
  if (p.integer("batch") == 1) return has_bias ? at::addmm(inputs[2], a, b) : at::mm(a, b);
  return has_bias ? at::baddbmm(inputs[2], a, b) : at::bmm(a, b);
}

}  // namespace

Implementation gemm_libtorch() { return libtorch_function(gemm); }

}  // namespace plumbline
