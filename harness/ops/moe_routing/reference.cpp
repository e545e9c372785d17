#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>

#include "ops/selection.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "logits",
           .shape = {p.integer("tokens"), p.integer("experts")},
           .dtype = p.dtype(),
           .distribution = {Distribution::Kind::normal, 0, 1}}};
}

/// The weights, then what `selected` says of the indices.
Results reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor logits = sorted_rows(inputs[0], /*is_descending=*/true);
  const auto top_k = p.integer("top_k");
  const at::Tensor weights = at::softmax(logits, 1).slice(1, 0, top_k);
  const Results selected = selection(logits.slice(1, 0, top_k).contiguous());
  return Tensors{p.flag("renormalize") ? weights / at::sum(weights, 1, /*keepdim=*/true) : weights,
                 selected.all[1], selected.all[2]};
}

Tensors comparable(const Problem&, const Tensors& inputs, const Tensors& results) {
  return selected(inputs[0], results);
}

}  // namespace

Definition moe_routing_definition() { return {inputs, reference, comparable}; }

}  // namespace plumbline
