#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

/// Stands for log(0), but is finite, so that gradients are finite.
constexpr double kNever = -1e30;

std::vector<InputSpec> inputs(const Problem& p) {
  const auto classes = p.integer("classes");
  return {
      {.name = "x", .shape = {p.integer("steps"), p.integer("batch"), classes}, .dtype = p.dtype()},
      {.name = "labels",
       .shape = {p.integer("batch"), p.integer("labels")},
       .dtype = DType::int64,
       .distribution = {Distribution::Kind::integer, 1, double(classes)},
       .is_differentiable = false}};
}

/// Shifted by `by` places to the right; fills with kNever.
at::Tensor shifted(const at::Tensor& places, std::int64_t by) {
  const at::Tensor nothing = at::full({places.size(0), by}, kNever, places.options());
  return at::cat({nothing, places.slice(1, 0, places.size(1) - by)}, 1);
}

/// The paper's forward variables as logarithms: places are the labels with blanks around them.
Results reference(const Problem&, const Tensors& inputs) {
  const at::Tensor &x = inputs[0], &labels = inputs[1];
  const at::Tensor logarithms = x - at::logsumexp(x, -1, /*keepdim=*/true);
  const std::int64_t batch = labels.size(0), places = 2 * labels.size(1) + 1;
  const at::Tensor blanks = at::zeros({batch, 1}, labels.options());
  const at::Tensor texts =
      at::cat({at::stack({blanks.expand_as(labels), labels}, 2).reshape({batch, -1}), blanks}, 1);
  // The blank between two different labels may be skipped.
  at::Tensor may_skip = at::zeros({batch, places}, labels.options().dtype(at::kBool));
  may_skip.slice(1, 2).copy_((texts.slice(1, 2) != texts.slice(1, 0, places - 2)) &
                             (texts.slice(1, 2) != 0));
  // Unbound, because with indexing each step has a gradient as large as all steps.
  const Tensors of_steps = logarithms.unbind(0);
  const auto emitted = [&](std::size_t step) { return of_steps[step].gather(1, texts); };
  at::Tensor state =
      at::cat({emitted(0).slice(1, 0, 2), at::full({batch, places - 2}, kNever, x.options())}, 1);
  const at::Tensor never = at::full({}, kNever, x.options());
  for (std::size_t step = 1; step < of_steps.size(); ++step) {
    const at::Tensor skipped = at::where(may_skip, shifted(state, 2), never);
    state = at::logsumexp(at::stack({state, shifted(state, 1), skipped}), 0) + emitted(step);
  }
  return -at::logsumexp(state.slice(1, places - 2), 1);
}

}  // namespace

Definition ctc_loss_definition() { return {inputs, reference}; }

}  // namespace plumbline
