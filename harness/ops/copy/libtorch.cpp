#include "backends/libtorch/libtorch.h"

namespace plumbline {

Implementation copy_libtorch() {
  return libtorch_function([](const Problem&, const Tensors& inputs) { return inputs[0].clone(); });
}

}  // namespace plumbline
