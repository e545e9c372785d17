#include "ops/inputs.h"
#include "ops/selection.h"

namespace plumbline {
namespace {

Results reference(const Problem& p, const Tensors& inputs) {
  return selection(
      sorted_rows(inputs[0], /*is_descending=*/true).slice(1, 0, p.integer("k")).contiguous());
}

Tensors comparable(const Problem&, const Tensors& inputs, const Tensors& results) {
  return selected(inputs[0], results);
}

}  // namespace

Definition topk_definition() { return {matrix_x, reference, comparable}; }

}  // namespace plumbline
