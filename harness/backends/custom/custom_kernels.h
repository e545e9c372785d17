/// This tree's own CUDA kernels as a backend: an op's `custom.cu` lists them;
/// custom_implementation.h makes them an Implementation.
///
/// Several kernels for one op are plans, from which a case chooses (`plan: 1`). The best comes
/// first, then the textbook's steps that lead to it. Kernels see plain pointers and numbers, not
/// LibTorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/dtype.h"

namespace plumbline {

class Problem;

/// A tensor that kernels write: contiguous, in device memory.
struct KernelOutput {
  std::vector<std::int64_t> shape;
  DType dtype = DType::float32;
};

/// The operands of a launch. `inputs`: the op's, contiguous, in order, followed by backward's
/// output gradient. `outputs`, `scratch`: as the op declared them.
struct KernelCall {
  const Problem& problem;
  std::vector<const void*> inputs;
  std::vector<void*> outputs, scratch;
  cudaStream_t stream = nullptr;
  const void* state = nullptr;  // what the op's `state` returned for this call
};

struct CustomKernel {
  const char* name;
  void (*launch)(const KernelCall&);  // enqueues; errors are read from cudaGetLastError
};

/// An op's kernels. Its op.cpp lists what they do not support (core/op/op_limits.h).
struct CustomKernels {
  std::vector<CustomKernel> kernels;                     // best first
  std::vector<KernelOutput> (*outputs)(const Problem&);  // results in the op's order
  std::vector<KernelOutput> (*scratch)(const Problem&) = nullptr;
  void (*before)(const KernelCall&) = nullptr;  // once at each placement, not timed
  /// What launches need besides memory. It is made after `before` and lives as long as the
  /// launches.
  std::shared_ptr<const void> (*state)(const KernelCall&) = nullptr;
};

}  // namespace plumbline
