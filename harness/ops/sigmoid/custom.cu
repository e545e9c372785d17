#include "backends/custom/activations.cuh"
#include "backends/custom/sigmoid.cuh"

namespace plumbline {
namespace {

struct Sigmoid {
  template <class T>
  static __device__ float value(float x) {
    return custom::sigmoid<T>(x);
  }
  template <class T>
  static __device__ float gradient(float x, float of_result) {
    const float y = custom::sigmoid<T>(x);
    return y * (of_result * (1 - y));
  }
};

}  // namespace

CustomKernels sigmoid_custom() {
  return {.kernels = {{"packed", custom::launch_activation<Sigmoid>}},
          .outputs = custom::activation_outputs};
}

}  // namespace plumbline
