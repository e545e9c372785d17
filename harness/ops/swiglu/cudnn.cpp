#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty_like.h>

namespace plumbline {
namespace {

using cudnn::folded;
using cudnn::Graph;

CudnnProgram swiglu(const Problem& p, const Operands& operands) {
  const at::Tensor& gate = operands.inputs[0];
  const at::Tensor& up = operands.inputs[1];
  Graph graph(p.is_backward() ? "swiglu_backward" : "swiglu", p.dtype());
  graph.tensor("gate", folded(gate));
  graph.tensor("up", folded(up));
  graph.node("POINTWISE", {{"IN_0", "gate"}}, {{"OUT_0", "unit"}}, {{"mode", "SWISH_FWD"}});
  const at::Tensor first = at::empty_like(gate);
  graph.tensor("first", folded(first));
  if (!p.is_backward()) {
    graph.node("POINTWISE", {{"IN_0", "unit"}, {"IN_1", "up"}}, {{"OUT_0", "first"}},
               {{"mode", "MUL"}});
    return {.before = {}, .launch = {graph}, .results = {first}};
  }
  const at::Tensor second = at::empty_like(up);
  graph.tensor("gradient", folded(operands.output_gradient));
  graph.tensor("second", folded(second));
  graph.node("POINTWISE", {{"IN_0", "gradient"}, {"IN_1", "unit"}}, {{"OUT_0", "second"}},
             {{"mode", "MUL"}});
  graph.node("POINTWISE", {{"IN_0", "gradient"}, {"IN_1", "up"}}, {{"OUT_0", "of_unit"}},
             {{"mode", "MUL"}});
  graph.node("POINTWISE", {{"IN_0", "of_unit"}, {"IN_1", "gate"}}, {{"OUT_0", "first"}},
             {{"mode", "SWISH_BWD"}});
  return {.before = {}, .launch = {graph}, .results = {first, second}};
}

}  // namespace

Implementation swiglu_cudnn() { return CudnnImplementation(swiglu); }

}  // namespace plumbline
