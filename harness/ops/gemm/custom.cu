#include "backends/custom/custom_kernels.h"
#include "backends/custom/tensor_map.h"
#include "backends/problem.h"
#include "ops/gemm/hopper_gemm.cuh"
#include "ops/gemm/mma_gemm.cuh"

namespace plumbline {
namespace {

using namespace custom;

struct Operand {
  const void *a, *b, *bias;
  void* c;
  int m, n, k;
};

Operand operand_of(const KernelCall& call) {
  const Problem& p = call.problem;
  return {
      call.inputs[0],     call.inputs[1],      call.inputs.size() > 2 ? call.inputs[2] : nullptr,
      call.outputs[0],    int(p.integer("m")), int(p.integer("n")),
      int(p.integer("k"))};
}

/// Calls body(T{}, is_b_k_by_n); the second is a constant's type: whether b is stored k x n.
template <class Body>
void by_form(const Problem& p, const Body& body) {
  const auto with_type = [&](auto zero) {
    if (p.flag("transpose_b"))
      body(zero, std::false_type{});
    else
      body(zero, std::true_type{});
  };
  if (p.dtype() == DType::float16)
    with_type(__half{});
  else
    with_type(__nv_bfloat16{});
}

template <class Kernel>
void allow_shared(Kernel kernel, int bytes) {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

void launch_mma(const KernelCall& call) {
  const Operand o = operand_of(call);
  by_form(call.problem, [&](auto zero, auto columns_together) {
    using T = decltype(zero);
    const auto kernel = mma_gemm<T, columns_together()>;
    allow_shared(kernel, MmaTile::kShared);
    const dim3 grid(unsigned(ceil_div(o.n, MmaTile::kSide)),
                    unsigned(ceil_div(o.m, MmaTile::kSide)));
    kernel<<<grid, MmaTile::kThreads, MmaTile::kShared, call.stream>>>(
        static_cast<const T*>(o.a), static_cast<const T*>(o.b), static_cast<const T*>(o.bias),
        static_cast<T*>(o.c), o.m, o.n, o.k);
  });
}

bool is_hopper() {
  int device = 0, major = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  return major == 9;
}

void launch_best(const KernelCall& call) {
  if (!is_hopper()) return launch_mma(call);
  const Operand o = operand_of(call);
  by_form(call.problem, [&](auto zero, auto columns_together) {
    using T = decltype(zero);
    constexpr bool kTogether = columns_together();
    const DType dtype = call.problem.dtype();
    const CUtensorMap a = tensor_map(o.a, dtype, o.m, o.k, HopperTile::kRows);
    const CUtensorMap b = kTogether ? tensor_map(o.b, dtype, o.k, o.n, HopperTile::kDepth)
                                    : tensor_map(o.b, dtype, o.n, o.k, HopperTile::kCols);
    const auto kernel = hopper_gemm < T, kTogether ? 1 : 0 > ;
    allow_shared(kernel, HopperTile::kShared);
    const std::int64_t blocks = ceil_div(o.m, HopperTile::kRows) * ceil_div(o.n, HopperTile::kCols);
    kernel<<<unsigned(blocks), HopperTile::kThreads, HopperTile::kShared, call.stream>>>(
        a, b, static_cast<const T*>(o.bias), static_cast<T*>(o.c), GemmShape{o.m, o.n, o.k});
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  return {{{p.integer("m"), p.integer("n")}, p.dtype()}};
}

}  // namespace

/// `best`: wgmma on Hopper, mma elsewhere.
CustomKernels gemm_custom() {
  return {.kernels = {{"best", launch_best}, {"mma", launch_mma}}, .outputs = outputs};
}

}  // namespace plumbline
