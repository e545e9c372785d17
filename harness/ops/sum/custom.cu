#include <algorithm>

#include "backends/custom/columns.cuh"
#include "backends/custom/custom_kernels.h"
#include "backends/custom/rows.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

constexpr int kThreads = 256;
/// Blocks that a large GPU (132 multiprocessors) holds at once, and the least that one of them
/// sums.
constexpr std::int64_t kBlocks = 1056;
constexpr std::int64_t kElementsMin = 8192;

template <class From, class To>
struct RowSum {
  using TakesRagged = void;
  const From* x;
  To* y;

  template <int kCount, int kFloats, class Group>
  __device__ void row(std::int64_t row, int cols, const Group& group) const {
    RowValues<kCount, kFloats> v;
    v.load(x + row * cols, cols, group, 0);
    const float sum = group.template reduce<Sum>(v.template reduced<Sum>());
    if (group.lane() == 0) y[row] = from_float<To>(sum);
  }
};

template <class T>
struct ColumnSum {
  const T* x;
  std::int64_t cols;

  template <int kCount>
  __device__ Pack<T, kCount> load(std::int64_t row, std::int64_t col) const {
    return custom::load<kCount>(x + row * cols + col);
  }
  template <int kCount>
  __device__ void add(const Pack<T, kCount>& pack, std::int64_t, std::int64_t,
                      float (&sums)[kCount]) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) sums[i] += to_float(pack.values[i]);
  }
};

/// Sums parts of rows: block b sums part b % parts of row b / parts.
template <class T, int kCount>
__global__ void __launch_bounds__(kThreads)
    part_sums(const T* x, std::int64_t cols, std::int64_t parts, float* sums) {
  const std::int64_t part = blockIdx.x % parts;
  const T* const row = x + (blockIdx.x / parts) * cols;
  float of_element[kCount] = {};
#pragma unroll 4
  for (std::int64_t c = (part * kThreads + threadIdx.x) * kCount; c < cols;
       c += parts * kThreads * kCount) {
    const auto pack = load<kCount>(row + c);
#pragma unroll
    for (int i = 0; i < kCount; ++i) of_element[i] += to_float(pack.values[i]);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kCount; ++i) sum += of_element[i];
  sum = BlockGroup().reduce<Sum>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// Rows to sum and their length; `all` is one row of all elements.
struct Rows {
  std::int64_t count, length;
};
Rows rows_of(const Problem& p) {
  const std::int64_t rows = p.integer("rows"), cols = p.integer("cols");
  return p.text("axis") == "all" ? Rows{1, rows * cols} : Rows{rows, cols};
}

/// For any type: there is room for the widest packs.
bool is_held(const Rows& rows) { return room_of<__half>(rows.length) <= kRowMax; }

/// Parts of a row; 1 if a group of threads takes it at once.
std::int64_t parts_of(const Rows& rows) {
  const std::int64_t parts = std::min(kBlocks / rows.count, ceil_div(rows.length, kElementsMin));
  return is_held(rows) && rows.count >= kBlocks / 4 ? 1 : std::max<std::int64_t>(parts, 1);
}

template <class T>
void sum_rows(const KernelCall& call, const T* x, T* y) {
  const Rows rows = rows_of(call.problem);
  const std::int64_t parts = parts_of(rows);
  if (parts == 1 && is_held(rows))
    return launch_each_row<T>(rows.count, rows.length, row_shape_of<T>(room_of<T>(rows.length)),
                              RowSum<T, T>{x, y}, call.stream);
  auto* const sums = static_cast<float*>(call.scratch[0]);
  const auto blocks = unsigned(rows.count * parts);
  if (rows.length % kPackOf<T> == 0)
    part_sums<T, kPackOf<T>><<<blocks, kThreads, 0, call.stream>>>(x, rows.length, parts, sums);
  else
    part_sums<T, 1><<<blocks, kThreads, 0, call.stream>>>(x, rows.length, parts, sums);
  launch_each_row<float>(rows.count, parts, row_shape_of<float>(room_of<float>(parts)),
                         RowSum<float, T>{sums, y}, call.stream);
}

void launch(const KernelCall& call) {
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto* x = static_cast<const T*>(call.inputs[0]);
    auto* y = static_cast<T*>(call.outputs[0]);
    if (call.problem.text("axis") != "rows") return sum_rows(call, x, y);
    const std::int64_t rows = call.problem.integer("rows"), cols = call.problem.integer("cols");
    launch_each_column<4>(rows, cols, ColumnSum<T>{x, cols}, static_cast<float*>(call.scratch[0]),
                          y, call.stream);
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  const std::string& axis = p.text("axis");
  if (axis == "all") return {{{}, p.dtype()}};
  return {{{p.integer(axis == "rows" ? "cols" : "rows")}, p.dtype()}};
}

std::vector<KernelOutput> scratch(const Problem& p) {
  if (p.text("axis") != "rows") {
    const Rows rows = rows_of(p);
    return {{{rows.count * parts_of(rows)}, DType::float32}};
  }
  const std::int64_t rows = p.integer("rows"), cols = p.integer("cols");
  return {{{partial_rows_max(rows, cols), cols}, DType::float32}};
}

}  // namespace

CustomKernels sum_custom() {
  return {.kernels = {{"two_steps", launch}}, .outputs = outputs, .scratch = scratch};
}

}  // namespace plumbline
