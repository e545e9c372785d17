#include "backends/custom/custom_kernels.h"
#include "backends/custom/elements.cuh"
#include "backends/custom/rows.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

constexpr float kSteps = 127;
constexpr int kThreads = 256;
/// Blocks that keep a large GPU busy; as many maxima as one block reads at once.
constexpr int kBlocks = 1024;

__device__ float steps_of(float value, float scale) { return scale > 0 ? value / scale : 0; }

template <class T>
struct QuantizeRow {
  const T* x;
  std::int8_t* q;
  float* scales;

  template <int kCount, int kFloats, class Group>
  __device__ void row(std::int64_t row, std::int64_t cols, const Group& group) const {
    RowValues<kCount, kFloats> v;
    v.load(x + row * cols, cols, group, 0);
    float largest = 0;
#pragma unroll
    for (const float value : v.values) largest = fmaxf(largest, fabsf(value));
    const float scale = group.template reduce<Maximum>(largest) / kSteps;
    if (group.lane() == 0) scales[row] = scale;
#pragma unroll
    for (float& value : v.values) value = steps_of(value, scale);
    v.store(q + row * cols, cols, group);
  }
};

template <class T, int kCount>
__global__ void __launch_bounds__(kThreads) maxima(const T* x, std::int64_t count, float* largest) {
  float most = 0;
#pragma unroll 4
  for (std::int64_t i = (std::int64_t(blockIdx.x) * kThreads + threadIdx.x) * kCount; i < count;
       i += std::int64_t(gridDim.x) * kThreads * kCount) {
    const auto pack = load<kCount>(x + i);
#pragma unroll
    for (int k = 0; k < kCount; ++k) most = fmaxf(most, fabsf(to_float(pack.values[k])));
  }
  most = BlockGroup().reduce<Maximum>(most);
  if (threadIdx.x == 0) largest[blockIdx.x] = most;
}

/// One block of kBlocks threads.
__global__ void __launch_bounds__(kBlocks) scale_of(const float* largest, float* scale) {
  const float most = BlockGroup().reduce<Maximum>(largest[threadIdx.x]);
  if (threadIdx.x == 0) *scale = most / kSteps;
}

template <class T>
struct Quantize {
  const T* x;
  const float* scale;
  std::int8_t* q;

  template <int kCount>
  __device__ Pack<T, kCount> load(std::int64_t first) const {
    return custom::load<kCount>(x + first);
  }
  template <int kCount>
  __device__ void store(std::int64_t first, const Pack<T, kCount>& pack) const {
    const float step = *scale;
    Pack<std::int8_t, kCount> out;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      out.values[i] = from_float<std::int8_t>(steps_of(to_float(pack.values[i]), step));
    custom::store<kCount>(q + first, out);
  }
};

template <class T>
void launch_tensor(const KernelCall& call, const T* x, std::int8_t* q, float* scale) {
  const std::int64_t count = call.problem.integer("rows") * call.problem.integer("cols");
  auto* const largest = static_cast<float*>(call.scratch[0]);
  if (count % kPackOf<T> == 0)
    maxima<T, kPackOf<T>><<<kBlocks, kThreads, 0, call.stream>>>(x, count, largest);
  else
    maxima<T, 1><<<kBlocks, kThreads, 0, call.stream>>>(x, count, largest);
  scale_of<<<1, kBlocks, 0, call.stream>>>(largest, scale);
  launch_each_element<kPackOf<T>, 1>(count, Quantize<T>{x, scale, q}, call.stream);
}

void launch(const KernelCall& call) {
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto* x = static_cast<const T*>(call.inputs[0]);
    auto* q = static_cast<std::int8_t*>(call.outputs[0]);
    auto* scale = static_cast<float*>(call.outputs[1]);
    if (call.problem.text("scale") == "tensor") return launch_tensor(call, x, q, scale);
    launch_each_row<T>(call.problem.integer("rows"), call.problem.integer("cols"),
                       QuantizeRow<T>{x, q, scale}, call.stream);
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  const std::int64_t rows = p.integer("rows");
  return {{{rows, p.integer("cols")}, DType::int8},
          {{p.text("scale") == "row" ? rows : 1, 1}, DType::float32}};
}

std::vector<KernelOutput> scratch(const Problem&) { return {{{kBlocks}, DType::float32}}; }

std::string refusal(const Problem& p) {
  return p.text("scale") == "row" ? row_refusal(p.integer("cols")) : "";
}

}  // namespace

CustomKernels quantize_int8_custom() {
  return {
      .kernels = {{"packed", launch}}, .outputs = outputs, .scratch = scratch, .refusal = refusal};
}

}  // namespace plumbline
