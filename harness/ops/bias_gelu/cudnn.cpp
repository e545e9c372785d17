#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty_like.h>

#include "backends/cudnn/families/reduction.h"

namespace plumbline {
namespace {

using cudnn::Graph;
using cudnn::rows_with_channels;

CudnnProgram bias_gelu(const Problem& p, const Operands& operands) {
  const std::string mode = p.text("approximate") == "tanh" ? "GELU_APPROX_TANH" : "GELU";
  Graph graph(p.is_backward() ? "bias_gelu_backward" : "bias_gelu", p.dtype());
  graph.tensor("x", rows_with_channels(operands.inputs[0]));
  graph.tensor("bias", rows_with_channels(operands.inputs[1]));
  graph.node("POINTWISE", {{"IN_0", "x"}, {"IN_1", "bias"}}, {{"OUT_0", "sum"}}, {{"mode", "ADD"}});
  const at::Tensor y = at::empty_like(operands.inputs[0]);
  graph.tensor("result", rows_with_channels(y));
  if (!p.is_backward()) {
    graph.node("POINTWISE", {{"IN_0", "sum"}}, {{"OUT_0", "result"}}, {{"mode", mode + "_FWD"}});
    return {.before = {}, .launch = {graph}, .results = {y}};
  }
  const at::Tensor of_bias = at::empty_like(operands.inputs[1]);
  const at::Tensor sums = cudnn::reduced(of_bias);
  graph.tensor("gradient", rows_with_channels(operands.output_gradient));
  graph.tensor("bias_gradient", rows_with_channels(sums));
  graph.node("POINTWISE", {{"IN_0", "gradient"}, {"IN_1", "sum"}}, {{"OUT_0", "result"}},
             {{"mode", mode + "_BWD"}});
  graph.node("REDUCTION", {{"X", "result"}}, {{"Y", "bias_gradient"}}, {{"mode", "ADD"}});
  CudnnProgram program{.before = {}, .launch = {graph}, .results = {y, of_bias}};
  for (Graph& conversion : cudnn::converted("bias_gradient", sums, of_bias))
    program.launch.push_back(std::move(conversion));
  return program;
}

}  // namespace

Implementation bias_gelu_cudnn() { return CudnnImplementation(bias_gelu); }

}  // namespace plumbline
