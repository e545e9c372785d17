#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>

#include <cmath>

#include "core/library_settings.h"

namespace plumbline {
namespace {

using cudnn::Graph;
using cudnn::Json;

/// Query i sees keys 0 to i: the diagonal begins at the top left.
Json attributes(const Problem& p) {
  Json attributes{{"attn_scale_value", 1 / std::sqrt(double(p.integer("head_dim")))}};
  if (p.flag("causal")) {
    attributes["right_bound"] = 0;
    attributes["diagonal_alignment"] = "TOP_LEFT";
  }
  return attributes;
}

void name_inputs(Graph& graph, const Operands& operands) {
  graph.tensor("query", operands.inputs[0]);
  graph.tensor("key", operands.inputs[1]);
  graph.tensor("value", operands.inputs[2]);
}

/// 8-bit operands and results are the numbers themselves: their scales are 1. Of the weights, from
/// 0 to 1, the small ones would be rounded to nothing; times 256 they have the range of the type.
void scale_8_bits(Graph& graph, const at::Tensor& like, cudnn::Ports& inputs, cudnn::Ports& outputs,
                  Json& given) {
  constexpr double kWeights = 256;
  const auto number = [&](const std::string& name, double value) {
    graph.tensor(name, at::full({1, 1, 1, 1}, value, like.options().dtype(at::kFloat)));
    return name;
  };
  for (const char* port : {"Descale_Q", "Descale_K", "Descale_V", "Scale_O"})
    inputs[port] = number(port, 1);
  inputs["Scale_S"] = number("Scale_S", kWeights);
  inputs["Descale_S"] = number("Descale_S", 1 / kWeights);
  for (const char* port : {"Amax_S", "Amax_O"}) outputs[port] = number(port, 0);
  given["mma_core_mode"] = "FP8_E4M3";
}

/// `statistics`: log of the sum of exponentials for each query, which backward needs; undefined:
/// not written.
Graph forward(const Problem& p, const Operands& operands, const at::Tensor& output,
              const at::Tensor& statistics) {
  Graph graph("sdpa", p.dtype());
  name_inputs(graph, operands);
  graph.tensor("output", output);
  cudnn::Ports inputs{{"Q", "query"}, {"K", "key"}, {"V", "value"}};
  cudnn::Ports outputs{{"O", "output"}};
  Json given = attributes(p);
  if (statistics.defined()) {
    graph.tensor("statistics", statistics);
    outputs["Stats"] = "statistics";
  }
  if (is_float8(p.dtype())) scale_8_bits(graph, output, inputs, outputs, given);
  graph.node("SDPA", inputs, outputs, given);
  return graph;
}

CudnnProgram backward(const Problem& p, const Operands& operands) {
  const at::Tensor output = at::empty_like(operands.inputs[0]);
  const at::Tensor statistics =
      at::empty({p.integer("batch"), p.integer("heads"), p.integer("q_len"), 1},
                output.options().dtype(at::kFloat));
  CudnnProgram program;
  for (const at::Tensor& input : operands.inputs) program.results.push_back(at::empty_like(input));
  program.before = {forward(p, operands, output, statistics)};
  Graph graph("sdpa_backward", p.dtype());
  name_inputs(graph, operands);
  graph.tensor("output", output);
  graph.tensor("statistics", statistics);
  graph.tensor("gradient", operands.output_gradient);
  graph.tensor("query_gradient", program.results[0]);
  graph.tensor("key_gradient", program.results[1]);
  graph.tensor("value_gradient", program.results[2]);
  Json given = attributes(p);
  given["is_deterministic_algorithm"] = library_settings(p.subject().params).deterministic;
  graph.node("SDPA_BWD",
             {{"Q", "query"},
              {"K", "key"},
              {"V", "value"},
              {"O", "output"},
              {"dO", "gradient"},
              {"Stats", "statistics"}},
             {{"dQ", "query_gradient"}, {"dK", "key_gradient"}, {"dV", "value_gradient"}}, given);
  program.launch = {graph};
  return program;
}

CudnnProgram sdpa(const Problem& p, const Operands& operands) {
  if (p.is_backward()) return backward(p, operands);
  const at::Tensor output = at::empty_like(operands.inputs[0]);
  return {.before = {}, .launch = {forward(p, operands, output, {})}, .results = {output}};
}

}  // namespace

Implementation sdpa_cudnn() { return CudnnImplementation(sdpa); }

}  // namespace plumbline
