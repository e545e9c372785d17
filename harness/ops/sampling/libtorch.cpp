#include "backends/libtorch/libtorch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/topk.h>

namespace plumbline {
namespace {

/// Sorts no more than top_k logits. Everything stays on the device: at::multinomial would draw its
/// own numbers.
at::Tensor sampling(const Problem& p, const Tensors& inputs) {
  const auto top_k = p.integer("top_k");
  const auto [logits, tokens] = at::topk(inputs[0], top_k);
  const at::Tensor sums = at::cumsum(at::softmax(logits, 1, at::kFloat), 1);
  const at::Tensor last =
      at::sum(sums < p.number("top_p"), 1, /*keepdim=*/true).clamp_max_(top_k - 1);
  const at::Tensor number = sums.gather(1, last) * inputs[1].unsqueeze(1);
  const at::Tensor place = at::searchsorted(sums, number, /*out_int32=*/false, /*right=*/true);
  return tokens.gather(1, at::minimum(place, last)).squeeze(1);
}

}  // namespace

Implementation sampling_libtorch() { return libtorch_function(sampling); }

}  // namespace plumbline
