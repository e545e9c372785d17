#include <ATen/TensorOperators.h>
#include <ATen/ops/im2col.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/sum.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "x",
           .shape = {p.integer("n"), p.integer("c"), p.integer("h"), p.integer("w")},
           .dtype = p.dtype(),
           .is_channels_last = p.text("layout") == "nhwc"}};
}

/// Sums of all windows, n x c x windows.
at::Tensor window_sums(const Problem& p, const at::Tensor& x) {
  const auto kernel = p.integer("kernel"), padding = p.integer("padding");
  const auto stride = p.integer("stride") == 0 ? kernel : p.integer("stride");
  const at::Tensor windows =
      at::im2col(x, {kernel, kernel}, /*dilation=*/{1, 1}, {padding, padding}, {stride, stride});
  return at::sum(windows.reshape({x.size(0), x.size(1), kernel * kernel, -1}), 2);
}

/// Independent of every pooling kernel: the windows are laid out as columns.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor& x = inputs[0];
  const auto kernel = p.integer("kernel");
  const auto stride = p.integer("stride") == 0 ? kernel : p.integer("stride");
  const auto width = (p.integer("w") + 2 * p.integer("padding") - kernel) / stride + 1;
  const at::Tensor sums = window_sums(p, x);
  const at::Tensor means = p.flag("count_padding")
                               ? sums / double(kernel * kernel)
                               : sums / window_sums(p, at::ones_like(x.detach()));
  return means.reshape({p.integer("n"), p.integer("c"), -1, width});
}

}  // namespace

Definition avg_pool2d_definition() { return {inputs, reference}; }

}  // namespace plumbline
