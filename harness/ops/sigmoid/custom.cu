#include "backends/custom/custom_kernels.h"
#include "backends/custom/elements.cuh"
#include "backends/custom/sigmoid.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

template <class T, int kCount>
struct Terms {
  Pack<T, kCount> x, gradient;  // backward alone has the last
};

template <class T, bool kIsBackward>
struct Sigmoid {
  const T *x, *gradient;
  T* result;

  template <int kCount>
  __device__ Terms<T, kCount> load(std::int64_t first) const {
    Terms<T, kCount> terms;
    terms.x = custom::load<kCount>(x + first);
    if (kIsBackward) terms.gradient = custom::load<kCount>(gradient + first);
    return terms;
  }
  template <int kCount>
  __device__ void store(std::int64_t first, const Terms<T, kCount>& terms) const {
    Pack<T, kCount> out;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const float y = sigmoid<T>(to_float(terms.x.values[i]));
      const float slope = kIsBackward ? to_float(terms.gradient.values[i]) * (1 - y) : 1;
      out.values[i] = from_float<T>(y * slope);
    }
    custom::store<kCount>(result + first, out);
  }
};

template <class T, bool kIsBackward>
void launch_as(const KernelCall& call) {
  launch_each_element<kPackOf<T>, 2>(
      call.problem.integer("elements"),
      Sigmoid<T, kIsBackward>{static_cast<const T*>(call.inputs[0]),
                              kIsBackward ? static_cast<const T*>(call.inputs[1]) : nullptr,
                              static_cast<T*>(call.outputs[0])},
      call.stream);
}

void launch(const KernelCall& call) {
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    call.problem.is_backward() ? launch_as<T, true>(call) : launch_as<T, false>(call);
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  return {{{p.integer("elements")}, p.dtype()}};
}

}  // namespace

CustomKernels sigmoid_custom() { return {.kernels = {{"packed", launch}}, .outputs = outputs}; }

}  // namespace plumbline
