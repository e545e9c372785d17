#include "backends/libtorch/libtorch.h"

#include <ATen/ops/cat.h>

namespace plumbline {

Implementation cat_libtorch() {
  return libtorch_function([](const Problem& p, const Tensors& inputs) {
    return at::cat(inputs, p.text("axis") == "rows" ? 0 : 1);
  });
}

}  // namespace plumbline
