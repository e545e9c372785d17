/// The reference of pooling; `take` decides what is computed from a window.
///
/// Uses no pooling kernel: windows are laid out as columns.
#pragma once

#include <functional>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"
#include "ops/windows.h"

namespace plumbline {

inline std::vector<InputSpec> pooling_inputs(const Problem& p) {
  return {{.name = "x",
           .shape = {p.integer("n"), p.integer("c"), p.integer("h"), p.integer("w")},
           .dtype = p.dtype(),
           .is_channels_last = p.text("layout") == "nhwc"}};
}

/// One value for each window in the rows [begin, end) of windows, in order.
using TakeOfWindows = std::function<at::Tensor(const at::Tensor& images, const Windows& windows,
                                               std::int64_t begin, std::int64_t end)>;

/// Takes several planes (a channel of an image) at once, or some rows of one plane.
inline at::Tensor pooled(const Problem& p, const at::Tensor& x, const TakeOfWindows& take) {
  const auto h = p.integer("h"), w = p.integer("w"), kernel = p.integer("kernel");
  const auto stride = p.integer("stride") == 0 ? kernel : p.integer("stride");
  const Windows windows{{kernel, kernel}, stride, p.integer("padding")};
  const auto height = windows.count(0, h), width = windows.count(1, w);
  const auto planes = p.integer("n") * p.integer("c");
  const BlockGrid grid{.outer = planes, .inner = height, .bytes_each = kernel * kernel * width * 8};
  const BlockFunction of_block = [=](const Tensors& block, std::int64_t begin, std::int64_t end) {
    return take(block[0], windows, begin, end).reshape({-1, end - begin, width});
  };
  return in_blocks(grid, {x.reshape({planes, 1, h, w})}, {}, of_block)
      .reshape({p.integer("n"), p.integer("c"), height, width});
}

}  // namespace plumbline
