#include "backends/libtorch/libtorch.h"

#include <ATen/ops/avg_pool2d.h>

namespace plumbline {
namespace {

at::Tensor avg_pool2d(const Problem& p, const Tensors& inputs) {
  const auto kernel = p.integer("kernel");
  const auto stride = p.integer("stride") == 0 ? kernel : p.integer("stride");
  return at::avg_pool2d(inputs[0], kernel, stride, p.integer("padding"), /*ceil_mode=*/false,
                        p.flag("count_padding"));
}

}  // namespace

Implementation avg_pool2d_libtorch() { return libtorch_function(avg_pool2d); }

}  // namespace plumbline
