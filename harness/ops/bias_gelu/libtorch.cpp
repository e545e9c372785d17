#include "backends/libtorch/libtorch.h"

#include <ATen/ops/add.h>
#include <ATen/ops/gelu.h>

namespace plumbline {

Implementation bias_gelu_libtorch() {
  return libtorch_function([](const Problem& p, const Tensors& inputs) {
    return at::gelu(at::add(inputs[0], inputs[1]), p.text("approximate"));
  });
}

}  // namespace plumbline
