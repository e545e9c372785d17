#include "backends/libtorch/libtorch.h"

#include <ATen/ops/max_pool2d.h>

namespace plumbline {
namespace {

at::Tensor max_pool2d(const Problem& p, const Tensors& inputs) {
  const auto kernel = p.integer("kernel");
  const auto stride = p.integer("stride") == 0 ? kernel : p.integer("stride");
  return at::max_pool2d(inputs[0], kernel, stride, p.integer("padding"));
}

}  // namespace

Implementation max_pool2d_libtorch() { return libtorch_function(max_pool2d); }

}  // namespace plumbline
