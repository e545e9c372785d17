#include "backends/libtorch/libtorch.h"

#include <ATen/ops/bmm.h>

namespace plumbline {
namespace {

/// A stored transpose is a strided view, as in `q @ k.transpose(1, 2)`: no copy is made.
at::Tensor bmm(const Problem& p, const Tensors& inputs) {
  return at::bmm(p.flag("transpose_a") ? inputs[0].mT() : inputs[0],
                 p.flag("transpose_b") ? inputs[1].mT() : inputs[1]);
}

}  // namespace

Implementation bmm_libtorch() { return libtorch_function(bmm); }

}  // namespace plumbline
