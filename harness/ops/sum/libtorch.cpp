#include "backends/libtorch/libtorch.h"

#include <ATen/ops/sum.h>

namespace plumbline {
namespace {

at::Tensor sum(const Problem& p, const Tensors& inputs) {
  const std::string& axis = p.text("axis");
  if (axis == "all") return at::sum(inputs[0]);
  return at::sum(inputs[0], axis == "rows" ? 0 : 1);
}

}  // namespace

Implementation sum_libtorch() { return libtorch_function(sum); }

}  // namespace plumbline
