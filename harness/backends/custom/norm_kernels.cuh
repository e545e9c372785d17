/// The kernels of an op that normalises rows. layer_norm has a mean and a bias, rms_norm does not.
#pragma once

#include "backends/custom/custom_kernels.h"
#include "backends/custom/norm_backward.cuh"
#include "backends/problem.h"

namespace plumbline::custom {

/// Inputs: x, then weight and (if centred) bias if the problem is affine.
template <bool kIsCentred>
struct NormKernels {
  static bool is_affine(const Problem& p) { return p.flag("affine"); }

  /// With y null, computes only the rows' statistics.
  template <bool kIsAffine, class T>
  static void launch_forward(const KernelCall& call, T* y, RowStatistics kept) {
    const auto vector = [&](bool is_there, std::size_t i) {
      return is_there ? static_cast<const T*>(call.inputs[i]) : nullptr;
    };
    const std::int64_t cols = call.problem.integer("cols");
    // Holding 8 values of a centred row, a thread needs so many registers that half of the threads
    // fit.
    const RowShape shape = has_wide_packs<T>(cols) ? row_shape(cols, 0, 0)
                           : kIsCentred            ? row_shape(cols, 0)
                                                   : row_shape(cols);
    launch_each_row<T>(
        call.problem.integer("rows"), cols, shape,
        NormForward<T, kIsCentred, kIsAffine>{
            static_cast<const T*>(call.inputs[0]), vector(kIsAffine, 1),
            vector(kIsAffine && kIsCentred, 2), y, kept, float(call.problem.number("eps"))},
        call.stream);
  }

  static RowStatistics kept_of(const KernelCall& call) {
    return {static_cast<float*>(call.scratch[0]), static_cast<float*>(call.scratch[1])};
  }

  static void before(const KernelCall& call) {
    if (!call.problem.is_backward()) return;
    by_dtype(call.problem.dtype(), [&](auto zero) {
      launch_forward<false, decltype(zero)>(call, nullptr, kept_of(call));
    });
  }

  static void launch(const KernelCall& call) {
    const std::int64_t rows = call.problem.integer("rows"), cols = call.problem.integer("cols");
    by_dtype(call.problem.dtype(), [&](auto zero) {
      using T = decltype(zero);
      auto* const result = static_cast<T*>(call.outputs[0]);
      if (!call.problem.is_backward())
        return is_affine(call.problem) ? launch_forward<true>(call, result, {})
                                       : launch_forward<false>(call, result, {});
      const bool affine = is_affine(call.problem), has_bias = kIsCentred && affine;
      launch_norm_backward<kIsCentred>(
          rows, cols,
          NormBackward<T>{static_cast<const T*>(call.inputs[0]),
                          affine ? static_cast<const T*>(call.inputs[1]) : nullptr,
                          static_cast<const T*>(call.inputs.back()), kept_of(call), result,
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

  /// Statistics of the rows; sums of the gradients of weight and bias.
  static std::vector<KernelOutput> scratch(const Problem& p) {
    if (!p.is_backward()) return {};
    const std::int64_t rows = p.integer("rows"), cols = p.integer("cols");
    std::vector<KernelOutput> all(2, {{rows}, DType::float32});
    by_dtype(p.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const std::int64_t blocks = backward_blocks<kIsCentred, T>(rows, cols, is_affine(p));
      all.resize(4, {{blocks, cols}, DType::float32});
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
