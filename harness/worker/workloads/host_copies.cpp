#include "worker/workloads/host_copies.h"

#include <ATen/ops/empty_strided.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "device/cuda/kernels.h"

namespace plumbline {
namespace {

void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  cuda::check(cudaMemcpyAsync(to, from, bytes, kind, stream), "cudaMemcpyAsync");
}

}  // namespace

HostCopies::Memory HostCopies::new_memory(void* device, std::size_t bytes) const {
  void* memory = nullptr;
  if (is_pinned_) {
    cuda::check(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), "cudaHostAlloc");
    return {std::shared_ptr<void>(memory, [](void* pinned) { cudaFreeHost(pinned); }), device,
            bytes};
  }
  memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return {std::shared_ptr<void>(memory, [](void* pageable) { std::free(pageable); }), device,
          bytes};
}

void HostCopies::keep(const Tensors& inputs) {
  std::size_t i = 0;
  for (const at::Tensor& input : inputs) {
    if (!input.defined() || input.storage().nbytes() == 0) continue;
    void* const data = input.storage().mutable_data();
    const std::size_t bytes = input.storage().nbytes();
    if (i == inputs_.size()) inputs_.push_back(new_memory(data, bytes));
    inputs_[i].device = data;
    cuda::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    cuda::check(cudaMemcpy(inputs_[i].host.get(), data, bytes, cudaMemcpyDeviceToHost),
                "cudaMemcpy");
    ++i;
  }
}

void HostCopies::to_device(cudaStream_t stream) const {
  for (const Memory& input : inputs_)
    copy(input.device, input.host.get(), input.bytes, cudaMemcpyHostToDevice, stream);
}

void HostCopies::to_host(const Tensors& results, cudaStream_t stream) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const c10::Storage& storage = results[i].storage();
    if (i == results_.size()) results_.emplace_back();
    if (results_[i].bytes != storage.nbytes()) results_[i] = new_memory(nullptr, storage.nbytes());
    copy(results_[i].host.get(), storage.data(), storage.nbytes(), cudaMemcpyDeviceToHost, stream);
  }
}

void HostCopies::poison() {
  for (Memory& result : results_) std::memset(result.host.get(), 0xff, result.bytes);
}

Tensors HostCopies::received(const Tensors& results) const {
  Tensors tensors;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const at::Tensor& result = results[i];
    at::Tensor tensor = at::empty_strided(result.sizes(), result.strides(), result.options());
    const auto offset = std::size_t(result.storage_offset()) * result.element_size();
    const std::size_t bytes = std::min(tensor.storage().nbytes(), results_.at(i).bytes - offset);
    cuda::check(
        cudaMemcpy(tensor.data_ptr(), static_cast<const char*>(results_[i].host.get()) + offset,
                   bytes, cudaMemcpyHostToDevice),
        "cudaMemcpy");
    tensors.push_back(tensor);
  }
  return tensors;
}

}  // namespace plumbline
