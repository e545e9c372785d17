#include "backends/libtorch/libtorch.h"

#include <ATen/ops/fft_fft.h>
#include <ATen/ops/fft_rfft.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>

namespace plumbline {

Implementation fft_libtorch() {
  return libtorch_function([](const Problem& p, const Tensors& inputs) {
    return at::view_as_real(p.text("transform") == "real"
                                ? at::fft_rfft(inputs[0])
                                : at::fft_fft(at::view_as_complex(inputs[0])));
  });
}

}  // namespace plumbline
