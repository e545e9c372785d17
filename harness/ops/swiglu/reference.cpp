#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "gate", .shape = {p.integer("elements")}, .dtype = p.dtype()},
          {.name = "up", .shape = {p.integer("elements")}, .dtype = p.dtype()}};
}

at::Tensor reference(const Problem&, const Tensors& inputs) {
  return inputs[0] / (1.0 + at::exp(-inputs[0])) * inputs[1];
}

}  // namespace

Definition swiglu_definition() { return {inputs, reference}; }

}  // namespace plumbline
