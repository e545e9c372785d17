/// `plumbline_spin::spin(int cycles, Tensor token) -> Tensor`: a copy of the token that takes so
/// many cycles of the SM clock, on the current stream.
///
/// Its time is known up to the clock, so that timers can be held against it; the copy lets the
/// result be verified.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

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

}  // namespace

TORCH_LIBRARY(plumbline_spin, library) { library.def("spin(int cycles, Tensor token) -> Tensor"); }

TORCH_LIBRARY_IMPL(plumbline_spin, CUDA, library) { library.impl("spin", spin); }

}  // namespace plumbline_spin
