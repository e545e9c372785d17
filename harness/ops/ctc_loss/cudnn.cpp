#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include "backends/cudnn/legacy.h"

namespace plumbline {
namespace {

using cudnn::require;

constexpr auto kAlgorithm = CUDNN_CTC_LOSS_ALGO_DETERMINISTIC;

struct CtcLoss {
  cudnn::Descriptor<cudnnCTCLossDescriptor_t, cudnnCreateCTCLossDescriptor,
                    cudnnDestroyCTCLossDescriptor>
      loss;
  cudnn::TensorDescriptor x;
  at::Tensor logits, labels, label_lengths, steps, losses, workspace;

  /// Computes only losses, without gradients.
  void run() const {
    require(cudnnCTCLoss_v8(cudnn::handle(), kAlgorithm, loss, x, logits.data_ptr(),
                            labels.data_ptr<int>(), label_lengths.data_ptr<int>(),
                            steps.data_ptr<int>(), losses.data_ptr(), x, nullptr,
                            std::size_t(workspace.numel()), workspace.data_ptr()),
            "cudnnCTCLoss_v8");
  }
};

/// The lengths and labels are int32 on the device, copied once.
Prepared ctc_loss(const Problem& p, const Operands& operands) {
  cudnn::require_cuda(operands);
  const auto loss = std::make_shared<CtcLoss>();
  loss->logits = operands.inputs[0];
  loss->labels = operands.inputs[1].to(at::kInt).reshape(-1);
  const auto lengths = [&](const char* name) {
    return at::full({p.integer("batch")}, p.integer(name), loss->labels.options());
  };
  loss->label_lengths = lengths("labels");
  loss->steps = lengths("steps");
  loss->losses = at::empty({p.integer("batch")}, loss->logits.options());
  cudnn::describe(loss->x, loss->logits);
  require(
      cudnnSetCTCLossDescriptor_v9(loss->loss, CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX,
                                   CUDNN_CTC_ZERO_OOB_GRADIENTS, int(p.integer("labels"))),
      "cudnnSetCTCLossDescriptor_v9");
  std::size_t bytes = 0;
  require(cudnnGetCTCLossWorkspaceSize_v8(cudnn::handle(), kAlgorithm, loss->loss, loss->x, loss->x,
                                          &bytes),
          "cudnnGetCTCLossWorkspaceSize_v8");
  loss->workspace = cudnn::memory(bytes);
  loss->run();
  return {.launch = [loss] { loss->run(); },
          .results = [loss] { return Tensors{loss->losses}; },
          .clear = [] {}};
}

}  // namespace

Implementation ctc_loss_cudnn() { return ctc_loss; }

}  // namespace plumbline
