#include "backends/libtorch/libtorch.h"

#include <ATen/ops/_cslt_compress.h>
#include <ATen/ops/_cslt_sparse_mm.h>

namespace plumbline {
namespace {

Tensors compress(const Problem&, const Tensors& inputs) {
  return {at::_cslt_compress(inputs[0]), inputs[1]};
}

at::Tensor sparse_gemm(const Problem& p, const Tensors& inputs) {
  return at::_cslt_sparse_mm(inputs[0], p.flag("transpose_b") ? inputs[1].t() : inputs[1]);
}

}  // namespace

/// Uses cuSPARSELt with its default algorithm.
Implementation sparse_gemm_libtorch() {
  return where_libtorch_can(libtorch_function(sparse_gemm, compress));
}

}  // namespace plumbline
