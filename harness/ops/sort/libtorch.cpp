#include "backends/libtorch/libtorch.h"

#include <ATen/ops/sort.h>

namespace plumbline {
namespace {

Results sort(const Problem& p, const Tensors& inputs) {
  auto [values, indices] = at::sort(inputs[0], /*dim=*/-1, p.flag("descending"));
  return Tensors{values, indices};
}

}  // namespace

Implementation sort_libtorch() { return libtorch_function(sort); }

}  // namespace plumbline
