#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty_like.h>

namespace plumbline {
namespace {

CudnnProgram add(const Problem& p, const Operands& operands) {
  const at::Tensor z = at::empty_like(operands.inputs[0]);
  cudnn::Graph graph("add", p.dtype());
  graph.tensor("x", cudnn::folded(operands.inputs[0]));
  graph.tensor("y", cudnn::folded(operands.inputs[1]));
  graph.tensor("z", cudnn::folded(z));
  graph.node("POINTWISE", {{"IN_0", "x"}, {"IN_1", "y"}}, {{"OUT_0", "z"}}, {{"mode", "ADD"}});
  return {.before = {}, .launch = {graph}, .results = {z}};
}

}  // namespace

Implementation add_cudnn() { return CudnnImplementation(add); }

}  // namespace plumbline
