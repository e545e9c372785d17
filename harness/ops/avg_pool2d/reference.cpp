#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>

#include "ops/pooling.h"

namespace plumbline {
namespace {

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const bool counts_padding = p.flag("count_padding");
  return pooled(
      p, inputs[0],
      [counts_padding](const at::Tensor& images, const Windows& windows, std::int64_t begin,
                       std::int64_t end) {
        const auto sums = [&](const at::Tensor& of) {
          return at::sum(columns_of(of, windows, begin, end), 1);
        };
        const at::Tensor found = sums(images);
        if (counts_padding) return found / double(windows.size[0] * windows.size[1]);
        return found / sums(at::ones({1, 1, images.size(2), images.size(3)}, found.options()));
      });
}

}  // namespace

Definition avg_pool2d_definition() { return {pooling_inputs, reference}; }

}  // namespace plumbline
