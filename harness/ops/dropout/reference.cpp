#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

#include "ops/inputs.h"

namespace plumbline {
namespace {

constexpr double kDeviations = 6;
constexpr std::int64_t kPieces = 16;

/// The result if nothing were dropped.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  return inputs[0] / (1 - p.number("p"));
}

/// Whether the number of set flags fits independent draws with that chance. The normal
/// approximation gets a few flags more where hardly any are expected.
bool is_likely(const at::Tensor& flags, double chance) {
  const auto count = double(flags.numel());
  const double off = std::abs(double(at::sum(flags).item<std::int64_t>()) - chance * count);
  return off <= kDeviations * (std::sqrt(chance * (1 - chance) * count) + 1);
}

/// The result with dropped elements filled in, if they were dropped by chance; else NaNs. Zeros of
/// the input do not show whether they were dropped, so chance is judged by the other elements.
Tensors comparable(const Problem& p, const Tensors& inputs, const Tensors& results) {
  const double chance = p.number("p");
  const at::Tensor& x = inputs.back();  // backward: the output's gradient
  const at::Tensor dropped = results[0] == 0;
  const at::Tensor known = dropped.masked_select(x.detach() != 0);
  const std::int64_t elements = known.numel(), even = elements / 2 * 2;
  const at::Tensor pairs = known.slice(0, 0, even, 2) & known.slice(0, 1, even, 2);
  bool is_random = is_likely(known, chance) && is_likely(pairs, chance * chance);
  for (std::int64_t i = 0; i < kPieces; ++i)
    is_random =
        is_random &&
        is_likely(known.slice(0, i * elements / kPieces, (i + 1) * elements / kPieces), chance);
  if (!is_random) return {at::full_like(results[0], std::numeric_limits<double>::quiet_NaN())};
  return {
      at::where(dropped, x.detach().to(at::kDouble) / (1 - chance), results[0].to(at::kDouble))};
}

}  // namespace

Definition dropout_definition() { return {vector_x, reference, comparable}; }

}  // namespace plumbline
