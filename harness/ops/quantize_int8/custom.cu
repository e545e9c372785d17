#include "backends/custom/custom_kernels.h"
#include "backends/custom/launches.cuh"
#include "backends/custom/rows.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

constexpr float kSteps = 127;
constexpr int kThreads = 256;
/// Blocks that keep a large GPU busy, and packs in flight in a thread.
constexpr int kBlocks = 1056;
constexpr int kAtOnce = 4;

/// Divides by a scale with correct rounding, in four instructions: the reciprocal and one Newton
/// step (Markstein 1990). Compared with true division for all significands of 16-bit types.
class Divider {
 public:
  __device__ explicit Divider(float scale) {
    // Values inside the Newton step would be subnormal or infinite.
    if (scale < 1e-30f) factor_ = 0x1p64f;
    if (scale > 1e30f) factor_ = 0x1p-64f;
    if (!(scale > 0 && scale <= FLT_MAX)) return;  // anything / scale is 0
    scale_ = scale * factor_;
    inverse_ = 1 / scale_;
  }
  __device__ float operator()(float value) const {
    value *= factor_;
    const float near = value * inverse_;
    return fmaf(fmaf(-near, scale_, value), inverse_, near);
  }

 private:
  float factor_ = 1, scale_ = 0, inverse_ = 0;
};

/// Scaled and rounded, as float32.
template <int kCount, class T>
__device__ void quantize_pack(const Pack<T, kCount>& pack, const Divider& divider, std::int8_t* q) {
  float values[kCount];
  to_floats(pack, values);
#pragma unroll
  for (float& value : values) value = divider(value);
  store(q, from_floats<std::int8_t>(values));
}

/// Updates the largest magnitudes; for 16-bit types in pairs, because an instruction takes two.
template <class T, int kCount>
class Magnitude {
 public:
  __device__ void add(const Pack<T, kCount>& pack) {
    if constexpr (kIsPaired) {
      const auto& pairs = reinterpret_cast<const Pack<Pair, kCount / 2>&>(pack);
#pragma unroll
      for (const Pair pair : pairs.values) largest_ = __hmax2(largest_, __habs2(pair));
    } else {
#pragma unroll
      for (const T value : pack.values) largest_ = fmaxf(largest_, fabsf(to_float(value)));
    }
  }
  __device__ float largest() const {
    if constexpr (kIsPaired)
      return fmaxf(to_float(largest_.x), to_float(largest_.y));
    else
      return largest_;
  }

 private:
  static constexpr bool kIsPaired = sizeof(T) == 2 && kCount % 2 == 0;
  using Pair = std::conditional_t<std::is_same_v<T, __half>, __half2, __nv_bfloat162>;
  std::conditional_t<kIsPaired, Pair, float> largest_{};
};

/// Keeps elements as they were read until they are written: as float32 they would take twice the
/// registers.
template <class T>
struct QuantizeRow {
  const T* x;
  std::int8_t* q;
  float* scales;

  template <int kCount, int kFloats, class Group>
  __device__ void row(std::int64_t row, int cols, const Group& group) const {
    using Place = RowValues<kCount, kFloats>;
    Pack<T, kCount> packs[Place::kPacks];
#pragma unroll
    for (int p = 0; p < Place::kPacks; ++p) {
      const int first = Place::place(p, group);
      packs[p] = first < cols ? load<kCount>(x + row * cols + first) : Pack<T, kCount>{};
    }
    Magnitude<T, kCount> magnitude;
#pragma unroll
    for (const auto& pack : packs) magnitude.add(pack);
    const float scale = group.template reduce<Maximum>(magnitude.largest()) / kSteps;
    if (group.lane() == 0) scales[row] = scale;
    const Divider divider(scale);
#pragma unroll
    for (int p = 0; p < Place::kPacks; ++p)
      if (const int first = Place::place(p, group); first < cols)
        quantize_pack(packs[p], divider, q + row * cols + first);
  }
};

/// With 32 values in a thread, 40 registers let three blocks run at once; 43 only two. With 8
/// values, fewer registers are enough for four blocks.
template <class T>
void launch_rows(const KernelCall& call, const QuantizeRow<T>& body) {
  const std::int64_t rows = call.problem.integer("rows"), cols = call.problem.integer("cols");
  const RowShape shape = row_shape_of<T>(cols);
  if (shape.floats > 8 && shape.threads <= DenseBlockGroup::kThreadsMax)
    launch_each_row<T, DenseBlockGroup>(rows, cols, shape, body, call.stream);
  else
    launch_each_row<T>(rows, cols, shape, body, call.stream);
}

/// The largest magnitude in each block; `packs` packs of kCount elements.
template <class T, int kCount>
__global__ void __launch_bounds__(kThreads) maxima(const T* x, std::int64_t packs, float* largest) {
  const std::int64_t step = std::int64_t(gridDim.x) * kThreads;
  Magnitude<T, kCount> magnitude;
  for (std::int64_t i = std::int64_t(blockIdx.x) * kThreads + threadIdx.x; i < packs;
       i += kAtOnce * step) {
    Pack<T, kCount> loaded[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)  // beyond the end, repeats the last pack, which changes
                                       // nothing
      loaded[k] = load<kCount>(x + min(i + k * step, packs - 1) * kCount);
#pragma unroll
    for (const auto& pack : loaded) magnitude.add(pack);
  }
  const float most = BlockGroup().reduce<Maximum>(magnitude.largest());
  if (threadIdx.x == 0) largest[blockIdx.x] = most;
}

/// Runs after maxima(), from the end of x on: what was read last is still in L2.
template <class T, int kCount>
__global__ void __launch_bounds__(kThreads)
    quantize(const T* x, std::int64_t packs, const float* largest, std::int8_t* q, float* scale) {
  wait_for_kernel_before();
  float most = 0;
  for (int i = int(threadIdx.x); i < kBlocks; i += kThreads) most = fmaxf(most, largest[i]);
  const float shared_scale = BlockGroup().reduce<Maximum>(most) / kSteps;
  if (blockIdx.x == 0 && threadIdx.x == 0) *scale = shared_scale;
  const Divider divider(shared_scale);
  const std::int64_t step = std::int64_t(gridDim.x) * kThreads;
  for (std::int64_t i = packs - 1 - (std::int64_t(blockIdx.x) * kThreads + threadIdx.x); i >= 0;
       i -= kAtOnce * step) {
    Pack<T, kCount> loaded[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
      if (i - k * step >= 0) loaded[k] = load<kCount>(x + (i - k * step) * kCount);
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
      if (i - k * step >= 0) quantize_pack(loaded[k], divider, q + (i - k * step) * kCount);
  }
}

template <class T>
void launch_tensor(const KernelCall& call, const T* x, std::int8_t* q, float* scale) {
  const std::int64_t count = call.problem.integer("rows") * call.problem.integer("cols");
  auto* const largest = static_cast<float*>(call.scratch[0]);
  const auto in_packs = [&](auto width) {
    const std::int64_t packs = count / width();
    maxima<T, width()><<<kBlocks, kThreads, 0, call.stream>>>(x, packs, largest);
    launch_dependent(quantize<T, width()>, kBlocks, kThreads, call.stream, x, packs, largest, q,
                     scale);
  };
  if (count % kPackOf<T> == 0)
    in_packs(std::integral_constant<int, kPackOf<T>>{});
  else
    in_packs(std::integral_constant<int, 1>{});
}

void launch(const KernelCall& call) {
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto* x = static_cast<const T*>(call.inputs[0]);
    auto* q = static_cast<std::int8_t*>(call.outputs[0]);
    auto* scale = static_cast<float*>(call.outputs[1]);
    if (call.problem.text("scale") == "tensor") return launch_tensor(call, x, q, scale);
    launch_rows(call, QuantizeRow<T>{x, q, scale});
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  const std::int64_t rows = p.integer("rows");
  return {{{rows, p.integer("cols")}, DType::int8},
          {{p.text("scale") == "row" ? rows : 1, 1}, DType::float32}};
}

std::vector<KernelOutput> scratch(const Problem&) { return {{{kBlocks}, DType::float32}}; }

}  // namespace

CustomKernels quantize_int8_custom() {
  return {.kernels = {{"packed", launch}}, .outputs = outputs, .scratch = scratch};
}

}  // namespace plumbline
