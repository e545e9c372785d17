#include "worker/verify/tensor_memory.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "worker/verify/visit_failure.h"

namespace plumbline {
namespace {

constexpr std::uintptr_t kAlignment = 16;  // that digests read at

bool has_memory(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == at::kStrided && tensor.has_storage() &&
         tensor.storage().nbytes() > 0;
}

/// A GPU's device cannot write to the host's memory, nor a CPU's to a GPU's.
bool is_of(const Device& device, const at::Tensor& tensor) {
  return tensor.is_cuda() == device.is_cuda();
}

at::Tensor dense(const Device& device, const at::Tensor& tensor) {
  const at::Tensor here =
      is_of(device, tensor) ? tensor : tensor.to(device.is_cuda() ? at::kCUDA : at::kCPU);
  const bool is_readable =
      here.is_non_overlapping_and_dense() &&
      reinterpret_cast<std::uintptr_t>(here.const_data_ptr()) % kAlignment == 0;
  if (is_readable) return here;
  return here.is_contiguous() ? here.clone() : here.contiguous();
}

}  // namespace

std::vector<MemorySpan> own_memory(const Device& device, const Tensors& results,
                                   const Tensors& inputs) {
  std::set<const void*> of_inputs;
  for (const at::Tensor& input : inputs)
    if (has_memory(input)) of_inputs.insert(input.storage().data());
  std::vector<MemorySpan> spans;
  for (const at::Tensor& result : results) {
    if (!has_memory(result) || !is_of(device, result)) continue;
    const c10::Storage& storage = result.storage();
    if (storage.use_count() == 1 && !of_inputs.contains(storage.data()))
      spans.push_back({storage.mutable_data(), storage.nbytes()});
  }
  return spans;
}

void poison_memory(Device& device, const Tensors& results, const Tensors& inputs) {
  const std::vector<MemorySpan> spans = own_memory(device, results, inputs);
  if (!spans.empty()) device.poison(spans);
}

void scale_memory(const Tensors& tensors, double factor) {
  if (factor == kUnscaled) return;
  const at::NoGradGuard no_grad;
  for (const at::Tensor& tensor : tensors)
    if (at::isFloatingType(tensor.scalar_type()) && tensor.element_size() > 1)
      tensor.tensor_data().mul_(factor);
}

void digest_memory(Device& device, const Tensors& tensors) {
  Tensors held;  // until the device has been told
  std::vector<MemorySpan> spans;
  for (const at::Tensor& tensor : tensors) {
    if (!has_memory(tensor) || tensor.numel() == 0) continue;
    held.push_back(dense(device, tensor));
    spans.push_back({const_cast<void*>(held.back().const_data_ptr()), held.back().nbytes()});
  }
  device.digest(spans);
}

Digest digest_of(Device& device, const Tensors& tensors) {
  digest_memory(device, tensors);
  return device.take_digests().back();
}

void require_complete(Device& device, const Tensors& results, const Digest& seen) {
  constexpr double kPatience_s = 0.05;  // a thread takes its time
  const double until_s = device.now_s() + kPatience_s;
  do {
    if (digest_of(device, results) != seen)
      throw VisitFailure{Status::wrong,
                         "results of a launch appeared after it was over: its work runs on a "
                         "stream or thread that the launch does not wait for"};
  } while (device.now_s() < until_s);
}

void require_complete(Device& device, const std::function<Tensors()>& launch) {
  constexpr int kLaunches = 4;
  for (int i = 0; i < kLaunches; ++i) {
    const Tensors results = launch();
    require_complete(device, results, digest_of(device, results));
  }
}

}  // namespace plumbline
