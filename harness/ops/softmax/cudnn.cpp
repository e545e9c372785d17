#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty_like.h>

namespace plumbline {
namespace {

using cudnn::Graph;

/// Rows that are normalised, as attention has its scores: [1, 1, rows, cols].
at::Tensor scores(const Problem& p, const at::Tensor& matrix, bool is_stored) {
  const bool is_transposed = is_stored && p.text("layout") == "transposed";
  return (is_transposed ? matrix.t() : matrix).unsqueeze(0).unsqueeze(0);
}

Graph forward(const Problem& p, const at::Tensor& x, const at::Tensor& y) {
  const std::vector<std::int64_t> per_row{1, 1, p.integer("rows"), 1};
  Graph graph("softmax", p.dtype());
  graph.tensor("x", scores(p, x, true));
  graph.tensor("y", scores(p, y, false));
  graph.intermediate("max", per_row);
  graph.intermediate("sum", per_row);
  graph.node("REDUCTION", {{"X", "x"}}, {{"Y", "max"}}, {{"mode", "MAX"}});
  graph.node("POINTWISE", {{"IN_0", "x"}, {"IN_1", "max"}}, {{"OUT_0", "shifted"}},
             {{"mode", "SUB"}});
  graph.node("POINTWISE", {{"IN_0", "shifted"}}, {{"OUT_0", "power"}}, {{"mode", "EXP"}});
  graph.node("REDUCTION", {{"X", "power"}}, {{"Y", "sum"}}, {{"mode", "ADD"}});
  graph.node("POINTWISE", {{"IN_0", "power"}, {"IN_1", "sum"}}, {{"OUT_0", "y"}},
             {{"mode", "DIV"}});
  return graph;
}

/// dx = y (dy - sum over the row of y dy).
CudnnProgram backward(const Problem& p, const Operands& operands) {
  const at::Tensor& x = operands.inputs[0];
  const at::Tensor y = at::empty_like(operands.output_gradient);
  const at::Tensor result = at::empty_like(x);
  Graph graph("softmax_backward", p.dtype());
  graph.tensor("y", scores(p, y, false));
  graph.tensor("gradient", scores(p, operands.output_gradient, false));
  graph.tensor("result", scores(p, result, true));
  graph.intermediate("sum", {1, 1, p.integer("rows"), 1});
  graph.node("POINTWISE", {{"IN_0", "y"}, {"IN_1", "gradient"}}, {{"OUT_0", "weighted"}},
             {{"mode", "MUL"}});
  graph.node("REDUCTION", {{"X", "weighted"}}, {{"Y", "sum"}}, {{"mode", "ADD"}});
  graph.node("POINTWISE", {{"IN_0", "gradient"}, {"IN_1", "sum"}}, {{"OUT_0", "centred"}},
             {{"mode", "SUB"}});
  graph.node("POINTWISE", {{"IN_0", "centred"}, {"IN_1", "y"}}, {{"OUT_0", "result"}},
             {{"mode", "MUL"}});
  return {.before = {forward(p, x, y)}, .launch = {graph}, .results = {result}};
}

CudnnProgram softmax(const Problem& p, const Operands& operands) {
  if (p.is_backward()) return backward(p, operands);
  const at::Tensor& x = operands.inputs[0];
  const at::Tensor y =
      at::empty_like(p.text("layout") == "transposed" ? x.t() : x, at::MemoryFormat::Contiguous);
  return {.before = {}, .launch = {forward(p, x, y)}, .results = {y}};
}

}  // namespace

Implementation softmax_cudnn() { return CudnnImplementation(softmax); }

}  // namespace plumbline
