#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "gate", .shape = {p.integer("elements")}, .dtype = p.dtype()},
          {.name = "up", .shape = {p.integer("elements")}, .dtype = p.dtype()}};
}

at::Tensor swiglu(const Tensors& x) { return x[0] / (1.0 + at::exp(-x[0])) * x[1]; }

at::Tensor reference(const Problem&, const Tensors& inputs) {
  return in_row_blocks(sizeof(double), inputs, {}, swiglu);
}

}  // namespace

Definition swiglu_definition() { return {inputs, reference}; }

}  // namespace plumbline
