#include "backends/libtorch/libtorch.h"

#include <ATen/ops/zeros.h>

namespace plumbline {
namespace {

at::Tensor scatter(const Problem& p, const Tensors& inputs) {
  at::Tensor result = at::zeros({p.integer("rows"), p.integer("cols")}, inputs[0].options());
  return result.scatter_(1, inputs[1], inputs[0]);
}

}  // namespace

Implementation scatter_libtorch() { return libtorch_function(scatter); }

}  // namespace plumbline
