#include "backends/libtorch/libtorch.h"

#include <ATen/ops/zeros.h>

namespace plumbline {
namespace {

at::Tensor index_add(const Problem& p, const Tensors& inputs) {
  at::Tensor result = at::zeros({p.integer("rows"), p.integer("cols")}, inputs[0].options());
  return result.index_add_(0, inputs[1], inputs[0]);
}

}  // namespace

Implementation index_add_libtorch() { return libtorch_function(index_add); }

}  // namespace plumbline
