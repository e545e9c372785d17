#include "backends/libtorch/libtorch.h"

namespace plumbline {
namespace {

at::Tensor permute(const Problem& p, const Tensors& inputs) {
  std::vector<std::int64_t> order;
  for (const char dimension : p.text("order")) order.push_back(dimension - 'a');
  return inputs[0].permute(order).contiguous();
}

}  // namespace

Implementation permute_libtorch() { return libtorch_function(permute); }

}  // namespace plumbline
