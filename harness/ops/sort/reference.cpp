#include "backends/implementation.h"
#include "ops/selection.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  constexpr Distribution kWide{Distribution::Kind::integer, -1e6, 1e6};
  return {{.name = "x",
           .shape = {p.integer("rows"), p.integer("cols")},
           .dtype = p.dtype(),
           .distribution = is_floating(p.dtype()) ? Distribution{} : kWide}};
}

Results reference(const Problem& p, const Tensors& inputs) {
  return selection(sorted_rows(inputs[0], p.flag("descending")));
}

Tensors comparable(const Problem&, const Tensors& inputs, const Tensors& results) {
  return selected(inputs[0], results);
}

}  // namespace

Definition sort_definition() { return {inputs, reference, comparable}; }

}  // namespace plumbline
