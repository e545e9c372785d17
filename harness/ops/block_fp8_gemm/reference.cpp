#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/repeat_interleave.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

constexpr std::int64_t kBlock = 128;

std::int64_t blocks(std::int64_t elements) { return (elements + kBlock - 1) / kBlock; }

/// Filled in float32, then rounded to the 8-bit type.
InputSpec matrix(const char* name, std::int64_t rows, std::int64_t cols) {
  return {.name = name,
          .shape = {rows, cols},
          .dtype = DType::float32,
          .arrange = [](const at::Tensor& filled) { return filled.to(at::kFloat8_e4m3fn); }};
}

InputSpec scale(const char* name, std::int64_t rows, std::int64_t cols) {
  return {.name = name,
          .shape = {rows, cols},
          .dtype = DType::float32,
          .distribution = {Distribution::Kind::uniform, 0.5, 2}};
}

/// scale_a is (k / 128) x m: the transpose of a matrix that is stored column by column.
std::vector<InputSpec> inputs(const Problem& p) {
  const auto m = p.integer("m"), n = p.integer("n"), k = p.integer("k");
  return {matrix("a", m, k), matrix("b", n, k), scale("scale_a", blocks(k), m),
          scale("scale_b", blocks(n), blocks(k))};
}

/// The scale of each element along `dimension`, from those of blocks.
at::Tensor of_elements(const at::Tensor& scales, std::int64_t dimension, std::int64_t elements) {
  return at::repeat_interleave(scales, kBlock, dimension).slice(dimension, 0, elements);
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto n = p.integer("n"), k = p.integer("k");
  const at::Tensor a = inputs[0] * of_elements(inputs[2].t(), 1, k);
  const at::Tensor b = inputs[1] * of_elements(of_elements(inputs[3], 0, n), 1, k);
  return at::matmul(a, b.t());
}

}  // namespace

Definition block_fp8_gemm_definition() { return {inputs, reference}; }

}  // namespace plumbline
