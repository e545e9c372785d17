/// Operators with a known time, to check timers and verdicts. Results are copies of their inputs,
/// so that they can be verified.
///
/// `plumbline_spin::spin(int cycles, Tensor token)` takes `cycles` cycles of the SM clock.
/// `slowed_spin(int cycles, int permille, Tensor token)` and `slowed_copy(Tensor x, int permille)`
/// take `permille` thousandths longer if PLANTED_SLOWDOWNS is set in the worker's environment: by
/// the clock, or by bytes that are copied twice.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <cstdlib>

#include "kernels.h"

namespace plumbline_spin {
namespace {

at::Tensor spin(std::int64_t cycles, const at::Tensor& token) {
  TORCH_CHECK(cycles >= 0, "plumbline_spin::spin: cycles is ", cycles, "; needed is at least 0");
  TORCH_CHECK(token.is_contiguous(), "plumbline_spin::spin: the token must be contiguous");
  at::Tensor result = at::empty_like(token);
  launch_spin(cycles, token.const_data_ptr(), result.mutable_data_ptr(),
              static_cast<std::int64_t>(token.nbytes()), c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

/// `permille` thousandths of `amount`, or 0 if nothing is planted.
std::int64_t planted(std::int64_t amount, std::int64_t permille) {
  TORCH_CHECK(permille >= 0 && permille <= 1000, "plumbline_spin: permille is ", permille,
              "; needed is 0 to 1000");
  static const bool is_planted = std::getenv("PLANTED_SLOWDOWNS") != nullptr;
  return is_planted ? amount * permille / 1000 : 0;
}

at::Tensor slowed_spin(std::int64_t cycles, std::int64_t permille, const at::Tensor& token) {
  return spin(cycles + planted(cycles, permille), token);
}

at::Tensor slowed_copy(const at::Tensor& x, std::int64_t permille) {
  const auto bytes = static_cast<std::int64_t>(x.nbytes());
  TORCH_CHECK(x.is_contiguous() && bytes % kPackBytes == 0, "plumbline_spin::slowed_copy: found ",
              bytes, " bytes; needed are contiguous ones, a multiple of ", kPackBytes);
  at::Tensor result = at::empty_like(x);
  const std::int64_t packs = bytes / kPackBytes;
  launch_copy(x.const_data_ptr(), result.mutable_data_ptr(), packs, planted(packs, permille),
              c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

}  // namespace

TORCH_LIBRARY(plumbline_spin, library) {
  library.def("spin(int cycles, Tensor token) -> Tensor");
  library.def("slowed_spin(int cycles, int permille, Tensor token) -> Tensor");
  library.def("slowed_copy(Tensor x, int permille) -> Tensor");
}

TORCH_LIBRARY_IMPL(plumbline_spin, CUDA, library) {
  library.impl("spin", spin);
  library.impl("slowed_spin", slowed_spin);
  library.impl("slowed_copy", slowed_copy);
}

}  // namespace plumbline_spin
