#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

namespace plumbline {
namespace {

using cudnn::Graph;

/// [batch, rows, cols] over the memory of a matrix, or of a stored transpose.
at::Tensor batched(const at::Tensor& stored, bool is_transposed) {
  const at::Tensor matrix = is_transposed ? stored.mT() : stored;
  return matrix.dim() == 2 ? matrix.unsqueeze(0) : matrix;
}

/// c = a b; with a bias, one value for each column is added.
Graph product(const char* name, const Problem& p, const at::Tensor& a, const at::Tensor& b,
              const at::Tensor& c, const at::Tensor& bias = {}) {
  Graph graph(name, p.dtype());
  graph.tensor("a", a);
  graph.tensor("b", b);
  graph.tensor("c", c);
  graph.node("MATMUL", {{"A", "a"}, {"B", "b"}}, {{"C", bias.defined() ? "product" : "c"}});
  if (bias.defined()) {
    graph.tensor("bias", bias.view({1, 1, -1}));
    graph.node("POINTWISE", {{"IN_0", "product"}, {"IN_1", "bias"}}, {{"OUT_0", "c"}},
               {{"mode", "ADD"}});
  }
  return graph;
}

CudnnProgram gemm(const Problem& p, const Operands& operands) {
  const bool transposes_a = p.flag("transpose_a"), transposes_b = p.flag("transpose_b");
  const bool has_bias = p.text("epilogue") == "bias";
  const at::Tensor a = batched(operands.inputs[0], transposes_a);
  const at::Tensor b = batched(operands.inputs[1], transposes_b);
  if (!p.is_backward()) {
    const at::Tensor c = at::empty({a.size(0), a.size(1), b.size(2)}, a.options());
    const at::Tensor bias = has_bias ? operands.inputs[2] : at::Tensor();
    return {.before = {},
            .launch = {product("gemm", p, a, b, c, bias)},
            .results = {p.integer("batch") == 1 ? c.squeeze(0) : c}};
  }
  const at::Tensor gradient = batched(operands.output_gradient, false);
  CudnnProgram program;
  for (const at::Tensor& input : operands.inputs) program.results.push_back(at::empty_like(input));
  program.launch = {
      product("gradient_a", p, gradient, b.mT(), batched(program.results[0], transposes_a)),
      product("gradient_b", p, a.mT(), gradient, batched(program.results[1], transposes_b))};
  if (has_bias) {
    Graph sum("gradient_bias", p.dtype());
    sum.tensor("gradient", cudnn::rows_with_channels(gradient));
    sum.tensor("result", cudnn::rows_with_channels(program.results[2]));
    sum.node("REDUCTION", {{"X", "gradient"}}, {{"Y", "result"}}, {{"mode", "ADD"}});
    program.launch.push_back(sum);
  }
  return program;
}

}  // namespace

Implementation gemm_cudnn() { return CudnnImplementation(gemm); }

}  // namespace plumbline
