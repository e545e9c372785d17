#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "backends/implementation.h"
#include "backends/nccl/rank_devices.h"

namespace plumbline {
namespace {

/// Copies over the host's memory; the second copy waits for the first on the GPUs alone.
void copy_by_host(const at::Tensor& from, const at::Tensor& host, const at::Tensor& to) {
  host.copy_(from, /*non_blocking=*/true);
  at::cuda::CUDAEvent copied;
  copied.record(c10::cuda::getCurrentCUDAStream(from.device().index()));
  copied.block(c10::cuda::getCurrentCUDAStream(to.device().index()));
  to.copy_(host, /*non_blocking=*/true);
  at::cuda::CUDAEvent read;  // the next launch writes the same memory of the host
  read.record(c10::cuda::getCurrentCUDAStream(to.device().index()));
  read.block(c10::cuda::getCurrentCUDAStream(from.device().index()));
}

}  // namespace

Implementation peer_copy_libtorch() {
  return [](const Problem& problem, const Operands& operands) {
    const at::Tensor from = operands.inputs[0];
    if (!from.is_cuda()) throw Unsupported("ranks are GPUs; --device cuda has them");
    const at::Tensor to = at::empty_like(from, from.options().device(device_of_rank(1)));
    const bool is_direct = problem.text("path") == "direct";
    const at::Tensor host =
        is_direct ? at::Tensor()
                  : at::empty(from.sizes(), from.options().device(at::kCPU).pinned_memory(true));
    return Prepared{.launch =
                        [=] {
                          const at::NoGradGuard no_grad;
                          if (is_direct)
                            to.copy_(from, /*non_blocking=*/true);
                          else
                            copy_by_host(from, host, to);
                        },
                    .results = [=]() -> Tensors { return {to}; },
                    .clear = [] {},
                    .result_handles = 3,
                    .keeps_no_values = true};
  };
}

}  // namespace plumbline
