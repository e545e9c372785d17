#include <ATen/ops/matmul.h>

#include "backends/implementation.h"
#include "ops/block_scales.h"

namespace plumbline {
namespace {

constexpr std::int64_t kBlock = 32;

/// Filled in float32, then rounded to the 8-bit type.
InputSpec matrix(const char* name, std::int64_t rows, std::int64_t cols, at::ScalarType type) {
  return {.name = name,
          .shape = {rows, cols},
          .dtype = DType::float32,
          .arrange = [type](const at::Tensor& filled) { return filled.to(type); }};
}

/// Codes of E8M0: 2^-3 to 2^3.
InputSpec scale(const char* name, std::int64_t rows, std::int64_t k) {
  return {.name = name,
          .shape = {rows, k / kBlock},
          .dtype = DType::uint8,
          .distribution = {Distribution::Kind::integer, 124, 131}};
}

std::vector<InputSpec> inputs(const Problem& p) {
  const auto m = p.integer("m"), n = p.integer("n"), k = p.integer("k");
  const auto type_a = p.text("format") == "e4m3" ? at::kFloat8_e4m3fn : at::kFloat8_e5m2;
  return {matrix("a", m, k, type_a), matrix("b", n, k, at::kFloat8_e4m3fn), scale("scale_a", m, k),
          scale("scale_b", n, k)};
}

at::Tensor reference(const Problem&, const Tensors& inputs) {
  return at::matmul(scaled_blocks(inputs[0], of_e8m0(inputs[2])),
                    scaled_blocks(inputs[1], of_e8m0(inputs[3])).t());
}

}  // namespace

Definition mxfp8_gemm_definition() { return {inputs, reference}; }

}  // namespace plumbline
