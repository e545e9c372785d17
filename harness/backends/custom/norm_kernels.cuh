/// The kernels of an op that normalises rows: layer_norm and rms_norm differ by a mean and a bias.
#pragma once

#include "backends/custom/custom_kernels.h"
#include "backends/custom/norm_backward.cuh"
#include "backends/problem.h"

namespace plumbline::custom {

/// Inputs: x, then weight and (centred) bias where the problem is affine.
template <bool kIsCentred>
struct NormKernels {
  static bool is_affine(const Problem& p) { return p.flag("affine"); }

  template <class T>
  static NormForward<T, kIsCentred> forward_of(const KernelCall& call, T* y, RowStatistics kept) {
    const bool has_bias = kIsCentred && is_affine(call.problem);
    return {static_cast<const T*>(call.inputs[0]),
            is_affine(call.problem) ? static_cast<const T*>(call.inputs[1]) : nullptr,
            has_bias ? static_cast<const T*>(call.inputs[2]) : nullptr,
            y,
            kept,
            float(call.problem.number("eps"))};
  }

  static RowStatistics kept_of(const KernelCall& call) {
    return {static_cast<float*>(call.scratch[0]), static_cast<float*>(call.scratch[1])};
  }

  static void before(const KernelCall& call) {
    if (!call.problem.is_backward()) return;
    by_dtype(call.problem.dtype(), [&](auto zero) {
      using T = decltype(zero);
      launch_each_row<T>(call.problem.integer("rows"), call.problem.integer("cols"),
                         forward_of<T>(call, nullptr, kept_of(call)), call.stream);
    });
  }

  static void launch(const KernelCall& call) {
    const std::int64_t rows = call.problem.integer("rows"), cols = call.problem.integer("cols");
    by_dtype(call.problem.dtype(), [&](auto zero) {
      using T = decltype(zero);
      if (!call.problem.is_backward())
        return launch_each_row<T>(
            rows, cols, forward_of<T>(call, static_cast<T*>(call.outputs[0]), {}), call.stream);
      const bool affine = is_affine(call.problem), has_bias = kIsCentred && affine;
      launch_norm_backward<kIsCentred>(
          rows, cols,
          NormBackward<T>{static_cast<const T*>(call.inputs[0]),
                          affine ? static_cast<const T*>(call.inputs[1]) : nullptr,
                          static_cast<const T*>(call.inputs.back()), kept_of(call),
                          static_cast<T*>(call.outputs[0]),
                          affine ? static_cast<float*>(call.scratch[2]) : nullptr,
                          has_bias ? static_cast<float*>(call.scratch[3]) : nullptr},
          affine ? static_cast<T*>(call.outputs[1]) : nullptr,
          has_bias ? static_cast<T*>(call.outputs[2]) : nullptr, call.stream);
    });
  }

  /// The result, or the gradients of x, weight and bias.
  static std::vector<KernelOutput> outputs(const Problem& p) {
    const std::int64_t rows = p.integer("rows"), cols = p.integer("cols");
    std::vector<KernelOutput> all{{{rows, cols}, p.dtype()}};
    if (p.is_backward() && is_affine(p)) all.resize(kIsCentred ? 3 : 2, {{cols}, p.dtype()});
    return all;
  }

  /// Statistics of the rows, sums of weight's and bias's gradients.
  static std::vector<KernelOutput> scratch(const Problem& p) {
    if (!p.is_backward()) return {};
    const std::int64_t rows = p.integer("rows"), cols = p.integer("cols");
    std::vector<KernelOutput> all(2, {{rows}, DType::float32});
    by_dtype(p.dtype(), [&](auto zero) {
      all.resize(4, {{backward_blocks<decltype(zero)>(rows, cols), cols}, DType::float32});
    });
    return all;
  }

  static CustomKernels all() {
    return {.kernels = {{"row_in_registers", launch}},
            .outputs = outputs,
            .scratch = scratch,
            .before = before};
  }
};

}  // namespace plumbline::custom
