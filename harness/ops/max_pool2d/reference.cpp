#include <ATen/ops/max.h>

#include <limits>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"
#include "ops/windows.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "x",
           .shape = {p.integer("n"), p.integer("c"), p.integer("h"), p.integer("w")},
           .dtype = p.dtype(),
           .is_channels_last = p.text("layout") == "nhwc"}};
}

/// Independent of every pooling kernel: the windows are laid out as columns, those of several
/// planes (a channel of an image) at once, or of some rows of one. The maximum over a dimension is
/// the first of equal values, as in pooling, so that gradients agree.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto h = p.integer("h"), w = p.integer("w"), kernel = p.integer("kernel");
  const auto stride = p.integer("stride") == 0 ? kernel : p.integer("stride");
  const Windows windows{{kernel, kernel}, stride, p.integer("padding")};
  const auto height = windows.count(0, h), width = windows.count(1, w);
  const auto planes = p.integer("n") * p.integer("c");
  const BlockGrid grid{.outer = planes, .inner = height, .bytes_each = kernel * kernel * width * 8};
  const BlockFunction largest = [=](const Tensors& block, std::int64_t begin, std::int64_t end) {
    const at::Tensor columns = columns_of(block[0], windows, begin, end,
                                          /*beside=*/-std::numeric_limits<double>::infinity());
    return std::get<0>(at::max(columns, 1)).reshape({-1, end - begin, width});
  };
  const at::Tensor pooled = in_blocks(grid, {inputs[0].reshape({planes, 1, h, w})}, {}, largest);
  return pooled.reshape({p.integer("n"), p.integer("c"), height, width});
}

}  // namespace

Definition max_pool2d_definition() { return {inputs, reference}; }

}  // namespace plumbline
