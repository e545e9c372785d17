#include <ATen/ops/max.h>

#include <limits>

#include "ops/pooling.h"

namespace plumbline {
namespace {

/// The maximum over a dimension takes the first of equal values, as pooling does, so that gradients
/// agree.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  return pooled(
      p, inputs[0],
      [](const at::Tensor& images, const Windows& windows, std::int64_t begin, std::int64_t end) {
        constexpr double kBeside = -std::numeric_limits<double>::infinity();
        return std::get<0>(at::max(columns_of(images, windows, begin, end, kBeside), 1));
      });
}

}  // namespace

Definition max_pool2d_definition() { return {pooling_inputs, reference}; }

}  // namespace plumbline
