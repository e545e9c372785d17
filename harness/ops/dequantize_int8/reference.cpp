#include <ATen/TensorOperators.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  const auto rows = p.integer("rows");
  return {{.name = "q",
           .shape = {rows, p.integer("cols")},
           .dtype = DType::int8,
           .distribution = {Distribution::Kind::integer, -127, 128}},
          {.name = "scale",
           .shape = {p.text("scale") == "row" ? rows : 1, 1},
           .dtype = DType::float32,
           .distribution = {Distribution::Kind::uniform, 0.01, 0.1}}};
}

at::Tensor reference(const Problem&, const Tensors& inputs) {
  return inputs[0].to(at::kDouble) * inputs[1];
}

}  // namespace

Definition dequantize_int8_definition() { return {inputs, reference}; }

}  // namespace plumbline
