#include "backends/custom/custom_kernels.h"
#include "backends/custom/elements.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

template <class T, int kCount>
struct Terms {
  Pack<T, kCount> x, y;
};

template <class T>
struct Add {
  const T *x, *y;
  T* z;

  template <int kCount>
  __device__ Terms<T, kCount> load(std::int64_t first) const {
    return {custom::load<kCount>(x + first), custom::load<kCount>(y + first)};
  }
  template <int kCount>
  __device__ void store(std::int64_t first, const Terms<T, kCount>& terms) const {
    Pack<T, kCount> sum;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      sum.values[i] = from_float<T>(to_float(terms.x.values[i]) + to_float(terms.y.values[i]));
    custom::store<kCount>(z + first, sum);
  }
};

/// `kBytes`: bytes of an access; `kPacks`: packs of a thread.
template <int kBytes, int kPacks>
void launch(const KernelCall& call) {
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    constexpr int kCount = kBytes > int(sizeof(T)) ? kBytes / int(sizeof(T)) : 1;
    launch_each_element<kCount, kPacks>(
        call.problem.integer("elements"),
        Add<T>{static_cast<const T*>(call.inputs[0]), static_cast<const T*>(call.inputs[1]),
               static_cast<T*>(call.outputs[0])},
        call.stream);
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  return {{{p.integer("elements")}, p.dtype()}};
}

}  // namespace

CustomKernels add_custom() {
  return {
      .kernels = {{"two_packs", launch<16, 2>}, {"pack", launch<16, 1>}, {"element", launch<1, 1>}},
      .outputs = outputs};
}

}  // namespace plumbline
