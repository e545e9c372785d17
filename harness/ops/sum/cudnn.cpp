#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty.h>

namespace plumbline {
namespace {

CudnnProgram sum(const Problem& p, const Operands& operands) {
  const std::string& axis = p.text("axis");
  const at::Tensor& x = operands.inputs[0];
  const std::int64_t rows = axis == "cols" ? p.integer("rows") : 1;
  const std::int64_t cols = axis == "rows" ? p.integer("cols") : 1;
  const at::Tensor y = at::empty({rows, cols}, x.options());
  cudnn::Graph graph("sum", p.dtype());
  graph.tensor("x", cudnn::rows_with_channels(x));
  graph.tensor("y", cudnn::rows_with_channels(y));
  graph.node("REDUCTION", {{"X", "x"}}, {{"Y", "y"}}, {{"mode", "ADD"}});
  return {.before = {}, .launch = {graph}, .results = {axis == "all" ? y.view({}) : y.view({-1})}};
}

}  // namespace

Implementation sum_cudnn() { return CudnnImplementation(sum); }

}  // namespace plumbline
