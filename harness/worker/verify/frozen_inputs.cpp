#include "worker/verify/frozen_inputs.h"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

#include "device/cuda/kernels.h"

namespace plumbline {
namespace {

void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
              "cudaMemcpyAsync");
}

}  // namespace

FrozenInputs::FrozenInputs(const Tensors& inputs) {
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  for (const at::Tensor& input : inputs) {
    if (!input.defined() || !input.is_cuda() || input.storage().nbytes() == 0) continue;
    void* const data = input.storage().mutable_data();
    if (std::ranges::find(pieces_, data, &Piece::data) != pieces_.end()) continue;
    const std::size_t bytes = input.storage().nbytes();
    at::Tensor kept = at::empty({std::int64_t(bytes)}, input.options().dtype(at::kByte));
    copy(kept.data_ptr(), data, bytes, stream);
    pieces_.push_back({data, bytes, at::isFloatingType(input.scalar_type()) ? 0xff : 0, kept});
  }
}

void FrozenInputs::spoil(cudaStream_t stream) const {
  for (const Piece& piece : pieces_)
    cuda::check(cudaMemsetAsync(piece.data, piece.spoilt, piece.bytes, stream), "cudaMemsetAsync");
}

void FrozenInputs::restore(cudaStream_t stream) const {
  for (const Piece& piece : pieces_) copy(piece.data, piece.kept.data_ptr(), piece.bytes, stream);
}

void poison_results(const Tensors& results, cudaStream_t stream) {
  for (const at::Tensor& result : results) {
    if (!result.defined() || !result.is_cuda() || !result.has_storage()) continue;
    const c10::Storage& storage = result.storage();
    if (storage.use_count() == 1 && storage.nbytes() > 0)
      cuda::check(cudaMemsetAsync(storage.mutable_data(), 0xff, storage.nbytes(), stream),
                  "cudaMemsetAsync");
  }
}

}  // namespace plumbline
