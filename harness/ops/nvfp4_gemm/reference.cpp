#include <ATen/ops/matmul.h>

#include "backends/implementation.h"
#include "ops/block_scales.h"

namespace plumbline {
namespace {

constexpr std::int64_t kBlock = 16;

/// Two codes of E2M1 a byte.
InputSpec matrix(const char* name, std::int64_t rows, std::int64_t k) {
  return {.name = name,
          .shape = {rows, k / 2},
          .dtype = DType::uint8,
          .distribution = {Distribution::Kind::integer, 0, 256}};
}

/// Filled in float32, then rounded to E4M3.
InputSpec scale(const char* name, std::int64_t rows, std::int64_t k) {
  return {.name = name,
          .shape = {rows, k / kBlock},
          .dtype = DType::float32,
          .distribution = {Distribution::Kind::uniform, 0.5, 2},
          .arrange = [](const at::Tensor& filled) { return filled.to(at::kFloat8_e4m3fn); }};
}

/// Small, so that the largest results fit float16.
InputSpec global(const char* name) {
  return {.name = name,
          .shape = {},
          .dtype = DType::float32,
          .distribution = {Distribution::Kind::uniform, 0.05, 0.2}};
}

std::vector<InputSpec> inputs(const Problem& p) {
  const auto m = p.integer("m"), n = p.integer("n"), k = p.integer("k");
  return {matrix("a", m, k),      matrix("b", n, k),  scale("scale_a", m, k),
          scale("scale_b", n, k), global("global_a"), global("global_b")};
}

at::Tensor reference(const Problem&, const Tensors& inputs) {
  const at::Tensor a = scaled_blocks(of_e2m1(unpacked(inputs[0])), inputs[2]);
  const at::Tensor b = scaled_blocks(of_e2m1(unpacked(inputs[1])), inputs[3]);
  return at::matmul(a, b.t()) * inputs[4] * inputs[5];
}

}  // namespace

Definition nvfp4_gemm_definition() { return {inputs, reference}; }

}  // namespace plumbline
