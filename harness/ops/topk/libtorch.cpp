#include "backends/libtorch/libtorch.h"

#include <ATen/ops/topk.h>

namespace plumbline {
namespace {

Results topk(const Problem& p, const Tensors& inputs) {
  auto [values, indices] = at::topk(inputs[0], p.integer("k"));
  return Tensors{values, indices};
}

}  // namespace

Implementation topk_libtorch() { return libtorch_function(topk); }

}  // namespace plumbline
