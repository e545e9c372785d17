#include "backends/custom/custom_kernels.h"
#include "backends/custom/elements.cuh"
#include "backends/custom/gelu.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

/// With one pack a thread, too few loads were under way: 1 to 4 % slower in types of 16 bits.
constexpr int kPacks = 2;

template <class T, int kCount>
struct Terms {
  Pack<T, kCount> x, gradient;  // backward alone has the latter
};

/// y = gelu(x), or gradient * gelu'(x).
template <class T, bool kIsTanh, bool kIsBackward>
struct Gelu {
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
      const float value = to_float(terms.x.values[i]);
      out.values[i] = from_float<T>(kIsBackward ? to_float(terms.gradient.values[i]) *
                                                      gelu_slope<T, kIsTanh>(value)
                                                : gelu<T, kIsTanh>(value));
    }
    custom::store<kCount>(result + first, out);
  }
};

template <class T, bool kIsTanh, bool kIsBackward>
void launch_as(const KernelCall& call) {
  launch_each_element<kPackOf<T>, kPacks>(
      call.problem.integer("elements"),
      Gelu<T, kIsTanh, kIsBackward>{static_cast<const T*>(call.inputs[0]),
                                    kIsBackward ? static_cast<const T*>(call.inputs[1]) : nullptr,
                                    static_cast<T*>(call.outputs[0])},
      call.stream);
}

void launch(const KernelCall& call) {
  const bool is_tanh = call.problem.text("approximate") == "tanh";
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (call.problem.is_backward())
      is_tanh ? launch_as<T, true, true>(call) : launch_as<T, false, true>(call);
    else
      is_tanh ? launch_as<T, true, false>(call) : launch_as<T, false, false>(call);
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  return {{{p.integer("elements")}, p.dtype()}};
}

}  // namespace

CustomKernels gelu_custom() { return {.kernels = {{"packed", launch}}, .outputs = outputs}; }

}  // namespace plumbline
