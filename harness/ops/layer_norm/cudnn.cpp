#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

namespace plumbline {
namespace {

using cudnn::Graph;
using cudnn::rows_with_channels;

/// With `statistics`, those that the backward direction needs are written: mean and 1 / sigma of
/// each row.
Graph forward(const Problem& p, const Operands& operands, const at::Tensor& y,
              const Tensors& statistics) {
  const bool is_training = !statistics.empty();
  Graph graph("layer_norm", p.dtype());
  graph.tensor("x", rows_with_channels(operands.inputs[0]));
  graph.tensor("weight", rows_with_channels(operands.inputs[1]));
  graph.tensor("bias", rows_with_channels(operands.inputs[2]));
  graph.scalar("epsilon", p.number("eps"));
  graph.tensor("y", rows_with_channels(y));
  cudnn::Ports outputs{{"Y", "y"}};
  if (is_training) {
    graph.tensor("mean", statistics[0]);
    graph.tensor("inverse", statistics[1]);
    outputs.insert({{"MEAN", "mean"}, {"INV_VARIANCE", "inverse"}});
  }
  graph.node("LAYER_NORM",
             {{"X", "x"}, {"SCALE", "weight"}, {"BIAS", "bias"}, {"EPSILON", "epsilon"}}, outputs,
             {{"forward_phase", is_training ? "TRAINING" : "INFERENCE"}});
  return graph;
}

CudnnProgram backward(const Problem& p, const Operands& operands) {
  const auto options = operands.inputs[0].options().dtype(at::kFloat);
  const at::Tensor mean = at::empty({p.integer("rows"), 1, 1, 1}, options);
  const at::Tensor inverse = at::empty_like(mean);
  CudnnProgram program;
  for (const at::Tensor& input : operands.inputs) program.results.push_back(at::empty_like(input));
  program.before = {forward(p, operands, program.results[0], {mean, inverse})};
  Graph graph("layer_norm_backward", p.dtype());
  graph.tensor("gradient", rows_with_channels(operands.output_gradient));
  graph.tensor("x", rows_with_channels(operands.inputs[0]));
  graph.tensor("weight", rows_with_channels(operands.inputs[1]));
  graph.tensor("mean", mean);
  graph.tensor("inverse", inverse);
  graph.tensor("x_gradient", rows_with_channels(program.results[0]));
  graph.tensor("weight_gradient", rows_with_channels(program.results[1]));
  graph.tensor("bias_gradient", rows_with_channels(program.results[2]));
  graph.node("LAYER_NORM_BPROP",
             {{"DY", "gradient"},
              {"X", "x"},
              {"SCALE", "weight"},
              {"MEAN", "mean"},
              {"INV_VARIANCE", "inverse"}},
             {{"DX", "x_gradient"}, {"DSCALE", "weight_gradient"}, {"DBIAS", "bias_gradient"}});
  program.launch = {graph};
  return program;
}

CudnnProgram layer_norm(const Problem& p, const Operands& operands) {
  if (!p.flag("affine"))
    throw Unsupported("cuDNN's layer norm always has a weight and a bias (affine=true)");
  if (p.is_backward()) return backward(p, operands);
  const at::Tensor y = at::empty_like(operands.inputs[0]);
  return {.before = {}, .launch = {forward(p, operands, y, {})}, .results = {y}};
}

}  // namespace

Implementation layer_norm_cudnn() { return CudnnImplementation(layer_norm); }

}  // namespace plumbline
