/// Shared by convolutions and pooling: the windows of images, laid out as columns.
///
/// Uses no kernel of either.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/im2col.h>

#include <array>
#include <cstdint>

namespace plumbline {

struct Windows {
  std::array<std::int64_t, 2> size{1, 1};  // rows, columns
  std::int64_t stride = 1, padding = 0, dilation = 1;

  std::int64_t extent(int dimension) const {
    return dilation * (size[std::size_t(dimension)] - 1) + 1;
  }
  /// The number of windows along a dimension of that length.
  std::int64_t count(int dimension, std::int64_t length) const {
    return (length + 2 * padding - extent(dimension)) / stride + 1;
  }
};

/// The windows in rows [begin, end) of windows, as n x (c size) x windows. Padding has the value
/// `beside`.
inline at::Tensor columns_of(const at::Tensor& images, const Windows& windows, std::int64_t begin,
                             std::int64_t end, double beside = 0) {
  const auto padding = windows.padding;
  const at::Tensor padded =
      padding == 0 ? images
                   : at::constant_pad_nd(images, {padding, padding, padding, padding}, beside);
  const at::Tensor strip =
      padded.slice(2, begin * windows.stride, (end - 1) * windows.stride + windows.extent(0));
  return at::im2col(strip, windows.size, {windows.dilation, windows.dilation}, /*padding=*/{0, 0},
                    {windows.stride, windows.stride});
}

}  // namespace plumbline
