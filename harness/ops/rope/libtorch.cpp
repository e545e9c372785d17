#include "backends/libtorch/libtorch.h"

#include <ATen/ops/complex.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>

namespace plumbline {
namespace {

/// LibTorch has no complex numbers of bfloat16, and few operators for those of float16.
bool turns_complex_numbers(const Problem& p) {
  return p.text("pairs") == "interleaved" &&
         (p.dtype() == DType::float32 || p.dtype() == DType::float64);
}

/// The table as the launch needs it: views, or complex numbers, which a model makes once.
Tensors with_tables(const Problem& p, const Tensors& inputs) {
  const auto pairs = inputs[1].size(1) / 2;
  const at::Tensor cos = inputs[1].slice(1, 0, pairs), sin = inputs[1].slice(1, pairs);
  if (turns_complex_numbers(p)) return {inputs[0], at::complex(cos, sin).unsqueeze(1)};
  const std::int64_t pair = p.text("pairs") == "half" ? 2 : 3;  // the dimension within a pair
  return {inputs[0], cos.unsqueeze(1).unsqueeze(pair), sin.unsqueeze(1)};
}

/// Neighbours are a complex number each, so that one kernel turns them. Else three kernels do: all
/// elements times cos, then a product with sin added to either half.
at::Tensor rope(const Problem& p, const Tensors& inputs) {
  const at::Tensor& x = inputs[0];
  const auto pairs = x.size(2) / 2;
  if (turns_complex_numbers(p))
    return at::view_as_real(at::mul(at::view_as_complex(x.unflatten(2, {pairs, 2})), inputs[1]))
        .flatten(2);
  const bool is_half = p.text("pairs") == "half";
  const std::int64_t pair = is_half ? 2 : 3;
  const at::Tensor split =
      is_half ? x.unflatten(2, {std::int64_t{2}, pairs}) : x.unflatten(2, {pairs, std::int64_t{2}});
  const at::Tensor result = at::mul(split, inputs[1]);
  result.select(pair, 0).addcmul_(split.select(pair, 1), inputs[2], /*value=*/-1);
  result.select(pair, 1).addcmul_(split.select(pair, 0), inputs[2]);
  return result.flatten(2);
}

}  // namespace

Implementation rope_libtorch() { return libtorch_function(rope, with_tables); }

}  // namespace plumbline
