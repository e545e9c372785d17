#include "backends/cudnn/families/product.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "backends/cudnn/families/reduction.h"

namespace plumbline {
namespace {

using cudnn::Graph;

/// A matrix, or a stored transpose, viewed as [batch, rows, cols].
at::Tensor batched(const at::Tensor& stored, bool is_transposed) {
  const at::Tensor matrix = is_transposed ? stored.mT() : stored;
  return matrix.dim() == 2 ? matrix.unsqueeze(0) : matrix;
}

/// c = a b, plus the bias where it is defined.
Graph product(const std::string& name, const Problem& p, const at::Tensor& a, const at::Tensor& b,
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

}  // namespace

CudnnProgram cudnn_product(const Problem& p, const Operands& operands, bool has_bias) {
  const bool transposes_a = p.flag("transpose_a"), transposes_b = p.flag("transpose_b");
  const at::Tensor a = batched(operands.inputs[0], transposes_a);
  const at::Tensor b = batched(operands.inputs[1], transposes_b);
  if (!p.is_backward()) {
    const at::Tensor c = at::empty({a.size(0), a.size(1), b.size(2)}, a.options());
    const at::Tensor bias = has_bias ? operands.inputs[2] : at::Tensor();
    return {.before = {},
            .launch = {product(p.subject().op, p, a, b, c, bias)},
            .results = {operands.inputs[0].dim() == 2 ? c.squeeze(0) : c}};
  }
  const at::Tensor gradient = batched(operands.output_gradient, false);
  CudnnProgram program;
  for (const at::Tensor& input : operands.inputs) program.results.push_back(at::empty_like(input));
  program.launch = {
      product("gradient_a", p, gradient, b.mT(), batched(program.results[0], transposes_a)),
      product("gradient_b", p, a.mT(), gradient, batched(program.results[1], transposes_b))};
  if (has_bias)
    for (Graph& sum : cudnn::summed("gradient_bias", cudnn::rows_with_channels(gradient),
                                    cudnn::rows_with_channels(program.results[2])))
      program.launch.push_back(std::move(sum));
  return program;
}

}  // namespace plumbline
