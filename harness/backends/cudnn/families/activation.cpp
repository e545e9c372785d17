#include "backends/cudnn/families/activation.h"

#include <ATen/ops/empty_like.h>

namespace plumbline {

CudnnProgram cudnn_activation(const std::string& mode, const Problem& p, const Operands& operands) {
  const at::Tensor& x = operands.inputs[0];
  const at::Tensor result = at::empty_like(x);
  cudnn::Graph graph(p.subject().op, p.dtype());
  graph.tensor("x", cudnn::folded(x));
  graph.tensor("result", cudnn::folded(result));
  if (p.is_backward()) {
    graph.tensor("gradient", cudnn::folded(operands.output_gradient));
    graph.node("POINTWISE", {{"IN_0", "gradient"}, {"IN_1", "x"}}, {{"OUT_0", "result"}},
               {{"mode", mode + "_BWD"}});
  } else {
    graph.node("POINTWISE", {{"IN_0", "x"}}, {{"OUT_0", "result"}}, {{"mode", mode + "_FWD"}});
  }
  return {.before = {}, .launch = {graph}, .results = {result}};
}

}  // namespace plumbline
