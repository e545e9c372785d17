// user::twice(Tensor x) -> Tensor: 2 x, an operator of LibTorch's dispatcher.
#include <ATen/ops/mul.h>
#include <torch/library.h>

namespace {

constexpr int kLaunches = 1;

at::Tensor twice(const at::Tensor& x) {
  at::Tensor y;
  for (int launch = 0; launch < kLaunches; ++launch) y = at::mul(x, 2);
  return y;
}

}  // namespace

TORCH_LIBRARY(user, library) { library.def("twice(Tensor x) -> Tensor", &twice); }
