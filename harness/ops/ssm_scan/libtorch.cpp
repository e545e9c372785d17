#include "backends/libtorch/libtorch.h"

#include <ATen/ops/addcmul.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>

#include <cmath>

namespace plumbline {
namespace {

/// h[t] = decay[t] h[t - 1] + h[t] along dimension 1, in place; decay is overwritten. Chunks
/// advance side by side, then their last states one after the other. Decays are at most 1, so that
/// their products within a chunk do not overflow.
void scan(at::Tensor decay, at::Tensor h, std::int64_t chunk) {
  const auto chunks = h.size(1) / chunk;
  decay = decay.unflatten(1, {chunks, chunk});
  h = h.unflatten(1, {chunks, chunk});
  for (std::int64_t t = 1; t < chunk; ++t) {
    h.select(2, t).addcmul_(decay.select(2, t), h.select(2, t - 1));
    decay.select(2, t).mul_(decay.select(2, t - 1));  // since the chunk's begin
  }
  const at::Tensor last = h.select(2, chunk - 1), of_chunk = decay.select(2, chunk - 1);
  for (std::int64_t i = 1; i < chunks; ++i)
    last.select(1, i).addcmul_(of_chunk.select(1, i), last.select(1, i - 1));
  h.slice(1, 1)
      .slice(2, 0, chunk - 1)
      .addcmul_(decay.slice(1, 1).slice(2, 0, chunk - 1),
                last.slice(1, 0, chunks - 1).unsqueeze(2));
}

at::Tensor contiguous(const at::Tensor& x, at::ScalarType type) {
  return x.to(type, /*non_blocking=*/false, /*copy=*/true, at::MemoryFormat::Contiguous);
}

/// In float32, as Mamba's own code, with time next to the batch: the values of a step lie together.
/// Chunks as long as they are many need the fewest launches. Steps beyond the end, with delta 0,
/// fill the last chunk.
at::Tensor ssm_scan(const Problem& p, const Tensors& inputs) {
  const auto length = p.integer("length");
  const auto chunk = std::int64_t(std::ceil(std::sqrt(double(length))));
  const auto missing = (length + chunk - 1) / chunk * chunk - length;
  const auto by_step = [&](const at::Tensor& x) {
    const at::Tensor steps = contiguous(x.transpose(1, 2), at::kFloat);
    return missing == 0 ? steps : at::constant_pad_nd(steps, {0, 0, 0, missing});
  };
  const at::Tensor u = by_step(inputs[0]), delta = by_step(inputs[1]);
  const at::Tensor decay = at::mul(delta.unsqueeze(3), inputs[2]).exp_();
  const at::Tensor h = at::mul(at::mul(delta, u).unsqueeze(3), by_step(inputs[3]).unsqueeze(2));
  scan(decay, h, chunk);
  const at::Tensor sums = at::matmul(h, by_step(inputs[4]).unsqueeze(3)).squeeze(3);
  const at::Tensor y = at::addcmul(sums, u, inputs[5]).slice(1, 0, length).transpose(1, 2);
  return contiguous(y, scalar_type(p.dtype()));
}

}  // namespace

Implementation ssm_scan_libtorch() { return libtorch_function(ssm_scan); }

}  // namespace plumbline
