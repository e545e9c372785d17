/// Functions of one element and their gradients: y = f(x), dx = f'(x) dy.
///
/// A Function has, for a value that was read as T,
///   template <class T> static __device__ float value(float x);
///   template <class T> static __device__ float gradient(float x, float of_result);
#pragma once

#include "backends/custom/custom_kernels.h"
#include "backends/custom/elements.cuh"
#include "backends/problem.h"

namespace plumbline::custom {

template <class Function, class T, bool kIsBackward>
struct Activation {
  const T *x, *gradient;  // gradient: only in the backward direction
  T* result;

  template <int kCount>
  struct Terms {
    Pack<T, kCount> x, gradient;
  };
  template <int kCount>
  __device__ Terms<kCount> load(std::int64_t first) const {
    Terms<kCount> terms;
    terms.x = custom::load<kCount>(x + first);
    if (kIsBackward) terms.gradient = custom::load<kCount>(gradient + first);
    return terms;
  }
  template <int kCount>
  __device__ void store(std::int64_t first, const Terms<kCount>& terms) const {
    Pack<T, kCount> out;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const float value = to_float(terms.x.values[i]);
      if constexpr (kIsBackward)
        out.values[i] = from_float<T>(
            Function::template gradient<T>(value, to_float(terms.gradient.values[i])));
      else
        out.values[i] = from_float<T>(Function::template value<T>(value));
    }
    custom::store<kCount>(result + first, out);
  }
};

/// With one pack per thread, too few loads were in flight: 1 to 4 % slower in 16-bit types.
inline constexpr int kActivationPacks = 2;

/// Runs over the problem's `elements`.
template <class Function>
void launch_activation(const KernelCall& call) {
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const std::int64_t elements = call.problem.integer("elements");
    const auto* x = static_cast<const T*>(call.inputs[0]);
    auto* result = static_cast<T*>(call.outputs[0]);
    if (call.problem.is_backward())
      launch_each_element<kPackOf<T>, kActivationPacks>(
          elements, Activation<Function, T, true>{x, static_cast<const T*>(call.inputs[1]), result},
          call.stream);
    else
      launch_each_element<kPackOf<T>, kActivationPacks>(
          elements, Activation<Function, T, false>{x, nullptr, result}, call.stream);
  });
}

inline std::vector<KernelOutput> activation_outputs(const Problem& p) {
  return {{{p.integer("elements")}, p.dtype()}};
}

}  // namespace plumbline::custom
