#include "backends/libtorch/libtorch.h"

#include <ATen/ops/_grouped_mm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

namespace plumbline {
namespace {

/// What at::_grouped_mm does on a CPU, without its limits on types and on sizes of rows.
at::Tensor group_by_group(const at::Tensor& a, const at::Tensor& b, const at::Tensor& offsets) {
  at::Tensor result = at::empty({a.size(0), b.size(2)}, a.options());
  const std::int32_t* const ends = offsets.const_data_ptr<std::int32_t>();
  std::int64_t begin = 0;
  for (std::int64_t e = 0; e < offsets.numel(); ++e) {
    at::Tensor rows = result.slice(0, begin, ends[e]);
    if (begin < ends[e]) at::mm_out(rows, a.slice(0, begin, ends[e]), b[e]);
    begin = ends[e];
  }
  return result;
}

at::Tensor grouped_gemm(const Problem& p, const Tensors& inputs) {
  const at::Tensor b = p.flag("transpose_b") ? inputs[1].mT() : inputs[1];
  if (inputs[0].is_cpu()) return group_by_group(inputs[0], b, inputs[2]);
  return at::_grouped_mm(inputs[0], b, inputs[2]);
}

}  // namespace

Implementation grouped_gemm_libtorch() {
  return where_libtorch_can(libtorch_function(grouped_gemm));
}

}  // namespace plumbline
