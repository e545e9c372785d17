#include "backends/custom/custom_kernels.h"
#include "backends/custom/elements.cuh"
#include "backends/custom/sigmoid.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

template <class T, int kCount>
struct Terms {
  Pack<T, kCount> gate, up, gradient;  // only backward has a gradient
};

/// gate * sigmoid(gate) * up, or the gradients of both factors.
template <class T, bool kIsBackward>
struct Swiglu {
  const T *gate, *up, *gradient;
  T *result, *of_up;  // backward: gradients of gate and of up

  template <int kCount>
  __device__ Terms<T, kCount> load(std::int64_t first) const {
    Terms<T, kCount> terms;
    terms.gate = custom::load<kCount>(gate + first);
    terms.up = custom::load<kCount>(up + first);
    if (kIsBackward) terms.gradient = custom::load<kCount>(gradient + first);
    return terms;
  }
  template <int kCount>
  __device__ void store(std::int64_t first, const Terms<T, kCount>& terms) const {
    Pack<T, kCount> out;
    Pack<T, kCount> second;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const float x = to_float(terms.gate.values[i]), factor = to_float(terms.up.values[i]);
      const float share = sigmoid<T>(x);
      if constexpr (kIsBackward) {
        const float slope = to_float(terms.gradient.values[i]);
        out.values[i] = from_float<T>(slope * factor * share * (1 + x * (1 - share)));
        second.values[i] = from_float<T>(slope * x * share);
      } else {
        out.values[i] = from_float<T>(x * share * factor);
      }
    }
    custom::store<kCount>(result + first, out);
    if (kIsBackward) custom::store<kCount>(of_up + first, second);
  }
};

/// Three arrays that are read have enough loads in flight with one pack each.
template <class T, bool kIsBackward>
void launch_as(const KernelCall& call) {
  launch_each_element<kPackOf<T>, kIsBackward ? 1 : 2>(
      call.problem.integer("elements"),
      Swiglu<T, kIsBackward>{static_cast<const T*>(call.inputs[0]),
                             static_cast<const T*>(call.inputs[1]),
                             kIsBackward ? static_cast<const T*>(call.inputs[2]) : nullptr,
                             static_cast<T*>(call.outputs[0]),
                             kIsBackward ? static_cast<T*>(call.outputs[1]) : nullptr},
      call.stream);
}

void launch(const KernelCall& call) {
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    call.problem.is_backward() ? launch_as<T, true>(call) : launch_as<T, false>(call);
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  const KernelOutput one{{p.integer("elements")}, p.dtype()};
  return p.is_backward() ? std::vector{one, one} : std::vector{one};
}

}  // namespace

CustomKernels swiglu_custom() { return {.kernels = {{"packed", launch}}, .outputs = outputs}; }

}  // namespace plumbline
