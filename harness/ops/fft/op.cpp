#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// X[b, k] = sum_j x[b, j] exp(-2 pi i j k / length). complex: all k. real: x is real, and k ends
/// at length / 2, because the rest is conjugate. Complex numbers are pairs (…, 2) of `dtype`. The
/// cost is 5 n log2 n operations, as FFTW's authors count for any algorithm (Frigo & Johnson 2005),
/// and half of it for real input. Backward costs the same.
OpSpec fft_op() {
  const std::string flops = "(transform == 'real' ? 2.5 : 5) * batch * length * log2(length)";
  const std::string bytes =
      "(transform == 'real' ? length + 2 * (length // 2 + 1) : 4 * length) * batch * sizeof(dtype)";
  return {
      .name = "fft",
      .doc = "one-dimensional discrete Fourier transforms of a batch of signals",
      .revision = 1,
      .params = {size_param("batch", "independent signals"),
                 {"length", ParamKind::integer, std::nullopt, 2, {}, "samples of a signal"},
                 choice_param("transform", {"complex", "real"},
                              "complex to complex, or real to half of the complex spectrum")},
      .dtypes = {DType::float64, DType::float32},
      .has_backward = true,
      .requirements = {},
      .forward = {flops, bytes},
      .backward = {flops, bytes},  // linear: the input is not read
      // A term passes through log2 n sums and products (Gentleman & Sande 1966).
      .reduction_length = "max(1, log2(length))",
      .tolerance_factor = 4,  // in float64 the reference is equally inexact
  };
}

}  // namespace plumbline
