#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

/// Filled in float32, then rounded to the 8-bit type.
InputSpec matrix(const char* name, std::int64_t rows, std::int64_t cols, at::ScalarType type) {
  return {.name = name,
          .shape = {rows, cols},
          .dtype = DType::float32,
          .arrange = [type](const at::Tensor& filled) { return filled.to(type); }};
}

InputSpec scale(const char* name, const std::vector<std::int64_t>& shape) {
  return {.name = name,
          .shape = shape,
          .dtype = DType::float32,
          .distribution = {Distribution::Kind::uniform, 0.5, 2}};
}

std::vector<InputSpec> inputs(const Problem& p) {
  const auto m = p.integer("m"), n = p.integer("n"), k = p.integer("k");
  const bool by_row = p.text("scale") == "row";
  const auto type_a = p.text("format") == "e4m3" ? at::kFloat8_e4m3fn : at::kFloat8_e5m2;
  using Shape = std::vector<std::int64_t>;
  return {matrix("a", m, k, type_a), matrix("b", n, k, at::kFloat8_e4m3fn),
          scale("scale_a", by_row ? Shape{m, 1} : Shape{}),
          scale("scale_b", by_row ? Shape{1, n} : Shape{})};
}

at::Tensor reference(const Problem&, const Tensors& inputs) {
  return at::matmul(inputs[0], inputs[1].t()) * inputs[2] * inputs[3];
}

}  // namespace

Definition fp8_gemm_definition() { return {inputs, reference}; }

}  // namespace plumbline
