#include "backends/custom/activations.cuh"
#include "backends/custom/gelu.cuh"

namespace plumbline {
namespace {

template <bool kIsTanh>
struct Gelu {
  template <class T>
  static __device__ float value(float x) {
    return custom::gelu<T, kIsTanh>(x);
  }
  template <class T>
  static __device__ float gradient(float x, float of_result) {
    return of_result * custom::gelu_slope<T, kIsTanh>(x);
  }
};

void launch(const KernelCall& call) {
  if (call.problem.text("approximate") == "tanh")
    custom::launch_activation<Gelu<true>>(call);
  else
    custom::launch_activation<Gelu<false>>(call);
}

}  // namespace

CustomKernels gelu_custom() {
  return {.kernels = {{"packed", launch}}, .outputs = custom::activation_outputs};
}

}  // namespace plumbline
