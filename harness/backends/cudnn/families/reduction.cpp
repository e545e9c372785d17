#include "backends/cudnn/families/reduction.h"

#include <ATen/ops/empty_like.h>

#include "backends/libtorch/libtorch.h"

namespace plumbline::cudnn {

at::Tensor reduced(const at::Tensor& result) {
  if (result.scalar_type() == at::kFloat) return result;
  return at::empty_like(result, result.options().dtype(at::kFloat));
}

std::vector<Graph> converted(const std::string& name, const at::Tensor& sum,
                             const at::Tensor& result) {
  if (sum.is_same(result)) return {};
  Graph graph(name + "_converted", dtype_of(result.scalar_type()));
  graph.tensor("sum", folded(sum.view({-1})));
  graph.tensor("result", folded(result.view({-1})));
  graph.node("POINTWISE", {{"IN_0", "sum"}}, {{"OUT_0", "result"}}, {{"mode", "IDENTITY"}});
  return {graph};
}

std::vector<Graph> summed(const std::string& name, const at::Tensor& x, const at::Tensor& result) {
  const at::Tensor sum = reduced(result);
  Graph graph(name, dtype_of(x.scalar_type()));
  graph.tensor("x", x);
  graph.tensor("sum", sum);
  graph.node("REDUCTION", {{"X", "x"}}, {{"Y", "sum"}}, {{"mode", "ADD"}});
  std::vector<Graph> graphs{graph};
  for (Graph& conversion : converted(name, sum, result)) graphs.push_back(std::move(conversion));
  return graphs;
}

}  // namespace plumbline::cudnn
