#include "backends/libtorch/libtorch.h"

#include <ATen/ops/add.h>
#include <ATen/ops/rms_norm.h>

namespace plumbline {
namespace {

Results residual_rms_norm(const Problem& p, const Tensors& inputs) {
  const at::Tensor sum = at::add(inputs[0], inputs[1]);
  return Tensors{at::rms_norm(sum, p.integer("cols"), inputs[2], p.number("eps")), sum};
}

}  // namespace

Implementation residual_rms_norm_libtorch() { return libtorch_function(residual_rms_norm); }

}  // namespace plumbline
