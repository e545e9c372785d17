#include "backends/cudnn/families/softmax.h"

#include <ATen/ops/empty_like.h>

#include "backends/cudnn/legacy.h"

namespace plumbline {
namespace {

using cudnn::factor;
using cudnn::require;

/// Images whose channels are normalised together: one image for each row, or one image with the
/// rows as its pixels. Either layout is fully packed. Input and output have the same layout: with
/// two different ones, cuDNN 9.19 writes wrong results and reports no error.
at::Tensor images(const at::Tensor& stored, bool is_transposed) {
  return is_transposed ? stored.unsqueeze(0).unsqueeze(-1) : stored.unsqueeze(-1).unsqueeze(-1);
}

struct Softmax {
  cudnn::TensorDescriptor layout;
  cudnnSoftmaxAlgorithm_t algorithm;
};

constexpr auto kMode = CUDNN_SOFTMAX_MODE_CHANNEL;

void run(const Softmax& softmax, const at::Tensor& x, const at::Tensor& y) {
  const auto type = x.scalar_type();
  require(cudnnSoftmaxForward(cudnn::handle(), softmax.algorithm, kMode, factor(type, true),
                              softmax.layout, x.data_ptr(), factor(type, false), softmax.layout,
                              y.data_ptr()),
          "cudnnSoftmaxForward");
}

}  // namespace

Prepared cudnn_softmax(const Problem& p, const Operands& operands, bool is_log,
                       bool is_transposed) {
  cudnn::require_cuda(operands);
  const at::Tensor& x = operands.inputs[0];
  const at::Tensor y = at::empty_like(x);
  const auto softmax = std::make_shared<Softmax>();
  softmax->algorithm = is_log ? CUDNN_SOFTMAX_LOG : CUDNN_SOFTMAX_ACCURATE;
  cudnn::describe(softmax->layout, images(x, is_transposed));
  run(*softmax, x, y);
  if (!p.is_backward()) {
    // Only one tensor may hold the memory: results that others hold are not overwritten by the
    // check for late writes.
    const at::Tensor result = is_transposed ? y.t() : y;
    return {.launch = [=] { run(*softmax, x, result); },
            .results = [=] { return Tensors{result}; },
            .clear = [] {}};
  }
  const at::Tensor gradient =
      is_transposed ? operands.output_gradient.t().contiguous() : operands.output_gradient;
  const at::Tensor result = at::empty_like(x);
  return {.launch =
              [=] {
                const auto type = y.scalar_type();
                require(cudnnSoftmaxBackward(
                            cudnn::handle(), softmax->algorithm, kMode, factor(type, true),
                            softmax->layout, y.data_ptr(), softmax->layout, gradient.data_ptr(),
                            factor(type, false), softmax->layout, result.data_ptr()),
                        "cudnnSoftmaxBackward");
              },
          .results = [result] { return Tensors{result}; },
          .clear = [] {}};
}

}  // namespace plumbline
