#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "x", .shape = {p.integer("elements")}, .dtype = p.dtype()}};
}

at::Tensor sigmoid(const Tensors& x) { return 1.0 / (1.0 + at::exp(-x[0])); }

at::Tensor reference(const Problem&, const Tensors& inputs) {
  return in_row_blocks(sizeof(double), inputs, {}, sigmoid);
}

}  // namespace

Definition sigmoid_definition() { return {inputs, reference}; }

}  // namespace plumbline
