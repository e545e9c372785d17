#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/im2col.h>
#include <ATen/ops/max.h>

#include <limits>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "x",
           .shape = {p.integer("n"), p.integer("c"), p.integer("h"), p.integer("w")},
           .dtype = p.dtype(),
           .is_channels_last = p.text("layout") == "nhwc"}};
}

/// Independent of every pooling kernel: the windows are laid out as columns. The maximum over a
/// dimension is the first of equal values, as in pooling, so that gradients agree.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto n = p.integer("n"), c = p.integer("c"), kernel = p.integer("kernel");
  const auto stride = p.integer("stride") == 0 ? kernel : p.integer("stride");
  const auto padding = p.integer("padding");
  const at::Tensor padded = at::constant_pad_nd(inputs[0], {padding, padding, padding, padding},
                                                -std::numeric_limits<double>::infinity());
  const at::Tensor windows = at::im2col(padded, {kernel, kernel}, /*dilation=*/{1, 1},
                                        /*padding=*/{0, 0}, {stride, stride});
  const auto width = (padded.size(3) - kernel) / stride + 1;
  const at::Tensor largest = std::get<0>(at::max(windows.reshape({n, c, kernel * kernel, -1}), 2));
  return largest.reshape({n, c, -1, width});
}

}  // namespace

Definition max_pool2d_definition() { return {inputs, reference}; }

}  // namespace plumbline
