/// A collective as an implementation: every rank's part is enqueued on its own GPU, in one group of
/// NCCL.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <functional>

#include "backends/implementation.h"

namespace plumbline::nccl {

/// One rank's part of a launch.
struct RankCall {
  int rank = 0, ranks = 2;
  const void* input = nullptr;  // null if the rank has none
  void* output = nullptr;
  ncclDataType_t type = ncclFloat32;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
};

/// What a rank does beside its part of the collective. Its GPU and stream are the current ones. The
/// tensors are those of all ranks.
using RankStep =
    std::function<void(const Problem&, int rank, const Tensors& inputs, Tensors& outputs)>;

struct Collective {
  std::string name;  // of NCCL's function, for messages
  /// Each rank's result, in order: new tensors, or parts of the inputs.
  std::function<Tensors(const Problem&, const Tensors& inputs)> outputs;
  /// A rank's input and output are the tensors of its number.
  std::function<void(const Problem&, const RankCall&)> enqueue;
  RankStep before{}, after{};
};

/// The choice of NCCL is that of the problem's `algorithm` and `protocol`.
Implementation implementation(Collective collective);

ncclDataType_t type_of(DType dtype);

/// A new tensor for each rank, of `elements` elements.
Tensors on_each_rank(const Problem& problem, std::int64_t elements);

}  // namespace plumbline::nccl
