#include "backends/libtorch/libtorch.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <cstring>
#include <memory>

namespace plumbline {
namespace {

Implementation within_the_device() {
  return libtorch_function([](const Problem&, const Tensors& inputs) { return inputs[0].clone(); });
}

/// Fills it with NaN bytes, so that elements that are not copied are found.
void poison(const at::Tensor& host) { std::memset(host.mutable_data_ptr(), 0xff, host.nbytes()); }

/// A host tensor like `x`.
at::Tensor host_tensor(const at::Tensor& x, bool is_pinned) {
  const at::Tensor host =
      at::empty(x.sizes(), x.options().device(at::kCPU).pinned_memory(is_pinned));
  poison(host);
  return host;
}

Prepared to_the_device(const at::Tensor& x, const at::Tensor& host, bool is_pinned) {
  host.copy_(x);
  auto result = std::make_shared<at::Tensor>();
  return {.launch =
              [=] {
                const at::NoGradGuard no_grad;
                *result = at::empty_like(x);
                result->copy_(host, /*non_blocking=*/is_pinned);
              },
          .results = [=]() -> Tensors { return {*result}; },
          .clear = [=] { result->reset(); }};
}

/// Reads the results back after the launch, on its stream.
Prepared to_the_host(const at::Tensor& x, const at::Tensor& host, bool is_pinned) {
  return {.launch =
              [=] {
                const at::NoGradGuard no_grad;
                host.copy_(x, /*non_blocking=*/is_pinned);
              },
          .results = [=]() -> Tensors { return {at::empty_like(x).copy_(host, is_pinned)}; },
          .clear = [=] { poison(host); }};
}

}  // namespace

Implementation copy_libtorch() {
  return [](const Problem& problem, const Operands& operands) {
    const std::string& path = problem.text("path");
    if (path == "device") return within_the_device()(problem, operands);
    const at::Tensor& x = operands.inputs[0];
    if (!x.is_cuda())
      throw Unsupported("path=" + path + ": a CPU's memory is the host's; --device cuda has both");
    const bool is_pinned = problem.text("host") == "pinned";
    const at::Tensor host = host_tensor(x, is_pinned);
    return path == "host_to_device" ? to_the_device(x, host, is_pinned)
                                    : to_the_host(x, host, is_pinned);
  };
}

}  // namespace plumbline
