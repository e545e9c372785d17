#include "backends/cudnn/families/norm.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

namespace plumbline {
namespace {

using cudnn::Graph;

struct Statistics {
  at::Tensor mean, inverse;  // inverse: 1 / sigma
};

void name_statistics(Graph& graph, const CudnnNorm& norm, const Statistics& statistics,
                     cudnn::Ports& ports) {
  graph.tensor("inverse", statistics.inverse);
  ports["INV_VARIANCE"] = "inverse";
  if (!norm.is_centred) return;
  graph.tensor("mean", statistics.mean);
  ports["MEAN"] = "mean";
}

/// Does not write the statistics if `statistics` is undefined.
Graph forward(const CudnnNorm& norm, const Problem& p, const Operands& operands,
              const at::Tensor& y, const Statistics& statistics) {
  const bool is_training = statistics.inverse.defined();
  Graph graph(p.subject().op, p.dtype());
  graph.tensor("x", norm.images(operands.inputs[0]));
  graph.tensor("weight", norm.parameters(operands.inputs[1]));
  graph.scalar("epsilon", p.number("eps"));
  graph.tensor("y", norm.images(y));
  cudnn::Ports inputs{{"X", "x"}, {"SCALE", "weight"}, {"EPSILON", "epsilon"}};
  cudnn::Ports outputs{{"Y", "y"}};
  if (norm.is_centred) {
    graph.tensor("bias", norm.parameters(operands.inputs[2]));
    inputs["BIAS"] = "bias";
  }
  if (is_training) name_statistics(graph, norm, statistics, outputs);
  cudnn::Json attributes = cudnn::Json::object();
  if (norm.has_phase) attributes["forward_phase"] = is_training ? "TRAINING" : "INFERENCE";
  graph.node(norm.forward, inputs, outputs, attributes);
  return graph;
}

Graph backward(const CudnnNorm& norm, const Problem& p, const Operands& operands,
               const Tensors& gradients, const Statistics& statistics) {
  Graph graph(p.subject().op + "_backward", p.dtype());
  graph.tensor("gradient", norm.images(operands.output_gradient));
  graph.tensor("x", norm.images(operands.inputs[0]));
  graph.tensor("weight", norm.parameters(operands.inputs[1]));
  graph.tensor("x_gradient", norm.images(gradients[0]));
  graph.tensor("weight_gradient", norm.parameters(gradients[1]));
  cudnn::Ports inputs{{"DY", "gradient"}, {"X", "x"}, {"SCALE", "weight"}};
  cudnn::Ports outputs{{"DX", "x_gradient"}, {"DSCALE", "weight_gradient"}};
  if (norm.is_centred) {
    graph.tensor("bias_gradient", norm.parameters(gradients[2]));
    outputs["DBIAS"] = "bias_gradient";
  }
  name_statistics(graph, norm, statistics, inputs);
  graph.node(norm.backward, inputs, outputs);
  return graph;
}

}  // namespace

CudnnProgram cudnn_norm(const CudnnNorm& norm, const Problem& p, const Operands& operands) {
  const auto options = operands.inputs[0].options().dtype(at::kFloat);
  Statistics statistics;
  if (p.is_backward() || !norm.has_phase)
    statistics = {at::empty(norm.statistics, options), at::empty(norm.statistics, options)};
  if (!p.is_backward()) {
    const at::Tensor y = at::empty_like(operands.inputs[0]);
    return {.before = {}, .launch = {forward(norm, p, operands, y, statistics)}, .results = {y}};
  }
  CudnnProgram program;
  for (const at::Tensor& input : operands.inputs) program.results.push_back(at::empty_like(input));
  program.before = {forward(norm, p, operands, at::empty_like(operands.inputs[0]), statistics)};
  program.launch = {backward(norm, p, operands, program.results, statistics)};
  return program;
}

at::Tensor cudnn_per_channel(const at::Tensor& values) { return values.view({1, -1, 1, 1}); }

}  // namespace plumbline
