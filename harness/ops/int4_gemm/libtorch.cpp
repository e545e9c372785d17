#include "backends/libtorch/libtorch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_convert_weight_to_int4pack.h>
#include <ATen/ops/_convert_weight_to_int4pack_for_cpu.h>
#include <ATen/ops/_weight_int4pack_mm.h>
#include <ATen/ops/_weight_int4pack_mm_for_cpu.h>
#include <ATen/ops/stack.h>

namespace plumbline {
namespace {

/// Tiles of 16 columns that lie next to each other on a GPU: the most, for the widest loads.
constexpr std::int64_t kInnerTiles = 8;

/// A, packed weights, scales and zeros side by side. A CPU packs codes that are an int32 each, a
/// GPU bytes of two codes.
Tensors packed(const Problem&, const Tensors& inputs) {
  const at::Tensor scales_and_zeros = at::stack({inputs[2], inputs[3]}, 2);
  const at::Tensor& codes = inputs[1];
  if (!codes.is_cpu())
    return {inputs[0], at::_convert_weight_to_int4pack(codes, kInnerTiles), scales_and_zeros};
  const at::Tensor each = at::stack({codes.__rshift__(4), codes.__and__(15)}, 2).flatten(1);
  return {inputs[0], at::_convert_weight_to_int4pack_for_cpu(each.to(at::kInt), kInnerTiles),
          scales_and_zeros};
}

at::Tensor int4_gemm(const Problem& p, const Tensors& inputs) {
  const auto product =
      inputs[0].is_cpu() ? at::_weight_int4pack_mm_for_cpu : at::_weight_int4pack_mm;
  return product(inputs[0], inputs[1], p.integer("group"), inputs[2]);
}

}  // namespace

Implementation int4_gemm_libtorch() {
  return where_libtorch_can(libtorch_function(int4_gemm, packed));
}

}  // namespace plumbline
