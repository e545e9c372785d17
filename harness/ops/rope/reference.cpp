#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/stack.h>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"

namespace plumbline {
namespace {

/// Positions of the tokens: anywhere in a context.
constexpr Distribution kPositions{Distribution::Kind::uniform, 0, 4096};

/// Cosines, then sines, of each token's angles. They are computed in float64, whatever the type of
/// the table; the first number of a row gives the token's position.
at::Tensor table(const at::Tensor& filled, std::int64_t head_dim, double base) {
  const at::Tensor position = filled.select(1, 0).to(at::kDouble).floor();
  const at::Tensor pair = at::arange(head_dim / 2, position.options());
  const at::Tensor angle = at::outer(position, at::pow(base, -2 * pair / double(head_dim)));
  return at::cat({at::cos(angle), at::sin(angle)}, 1).to(filled.scalar_type());
}

std::vector<InputSpec> inputs(const Problem& p) {
  const auto tokens = p.integer("tokens"), head_dim = p.integer("head_dim");
  return {{.name = "x", .shape = {tokens, p.integer("heads"), head_dim}, .dtype = p.dtype()},
          {.name = "table",
           .shape = {tokens, head_dim},
           .dtype = p.dtype(),
           .distribution = kPositions,
           .is_differentiable = false,
           .arrange = [head_dim, base = p.number("base")](const at::Tensor& filled) {
             return table(filled, head_dim, base);
           }}};
}

/// Turned pairs, from the first and the second elements of the pairs.
Tensors turned(const at::Tensor& a, const at::Tensor& b, const at::Tensor& table) {
  const auto pairs = table.size(1) / 2;
  const at::Tensor cos = table.slice(1, 0, pairs).unsqueeze(1);
  const at::Tensor sin = table.slice(1, pairs).unsqueeze(1);
  return {a * cos - b * sin, b * cos + a * sin};
}

at::Tensor half(const Tensors& block) {
  const auto pairs = block[0].size(2) / 2;
  return at::cat(turned(block[0].slice(2, 0, pairs), block[0].slice(2, pairs), block[1]), 2);
}

at::Tensor interleaved(const Tensors& block) {
  const at::Tensor a = block[0].slice(2, 0, std::nullopt, 2);
  const at::Tensor b = block[0].slice(2, 1, std::nullopt, 2);
  return at::stack(turned(a, b, block[1]), 3).flatten(2);
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  return in_row_blocks(p.integer("heads") * p.integer("head_dim") * 8, inputs, {},
                       p.text("pairs") == "half" ? half : interleaved);
}

}  // namespace

Definition rope_definition() { return {inputs, reference}; }

}  // namespace plumbline
