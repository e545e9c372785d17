#include "backends/libtorch/libtorch.h"

namespace plumbline {
namespace {

Results kv_append(const Problem&, const Tensors& inputs) {
  for (const std::size_t i : {0, 1})
    inputs[i].flatten(0, 1).index_copy_(0, inputs[4], inputs[i + 2]);
  return Tensors{inputs[0], inputs[1]};
}

}  // namespace

Implementation kv_append_libtorch() { return libtorch_function(kv_append); }

}  // namespace plumbline
