/// CUDA kernels of this tree as a backend: an op's `custom.cu` lists them, this makes them an
/// Implementation.
///
/// Several kernels for one op are plans among which a case chooses (`plan: 1`), the best first; the
/// textbook's ladder of steps to it follows. Plain pointers and numbers: kernels know no LibTorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/dtype.h"

namespace plumbline {

class Problem;

/// A tensor that kernels write: contiguous, in the device's memory.
struct KernelOutput {
  std::vector<std::int64_t> shape;
  DType dtype = DType::float32;
};

/// What a launch works on. `inputs`: the op's, contiguous, in their order; backward's output
/// gradient behind them. `outputs`, `scratch`: as the op declared them.
struct KernelCall {
  const Problem& problem;
  std::vector<const void*> inputs;
  std::vector<void*> outputs, scratch;
  cudaStream_t stream = nullptr;
  const void* state = nullptr;  // what the op's `state` made of this call
};

struct CustomKernel {
  const char* name;
  void (*launch)(const KernelCall&);  // enqueues; the first error is CUDA's last
};

/// An op's kernels. What they do not take stands in its op.cpp (core/op/op_limits.h).
struct CustomKernels {
  std::vector<CustomKernel> kernels;                     // best first
  std::vector<KernelOutput> (*outputs)(const Problem&);  // results in the op's order
  std::vector<KernelOutput> (*scratch)(const Problem&) = nullptr;
  void (*before)(const KernelCall&) = nullptr;  // once at each placement, not timed
  /// What launches need besides memory, made behind `before`; it lives as long as they can.
  std::shared_ptr<const void> (*state)(const KernelCall&) = nullptr;
};

}  // namespace plumbline
