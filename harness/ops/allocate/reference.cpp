#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "x",
           .shape = {p.integer("bytes")},
           .dtype = p.dtype(),
           .distribution = {Distribution::Kind::integer, 0, 256}}};
}

at::Tensor reference(const Problem&, const Tensors& inputs) { return inputs[0]; }

}  // namespace

Definition allocate_definition() { return {inputs, reference}; }

}  // namespace plumbline
