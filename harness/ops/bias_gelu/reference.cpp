#include <ATen/TensorOperators.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "x", .shape = {p.integer("rows"), p.integer("cols")}, .dtype = p.dtype()},
          {.name = "bias", .shape = {p.integer("cols")}, .dtype = p.dtype()}};
}

Results reference(const Problem& p, const Tensors& inputs) {
  return find_definition("gelu")->reference(p, {inputs[0] + inputs[1]});
}

}  // namespace

Definition bias_gelu_definition() { return {inputs, reference}; }

}  // namespace plumbline
