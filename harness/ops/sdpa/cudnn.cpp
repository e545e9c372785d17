#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

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

/// `statistics`: log of the sum of exponentials for each query, which backward needs; undefined:
/// not written.
Graph forward(const Problem& p, const Operands& operands, const at::Tensor& output,
              const at::Tensor& statistics) {
  Graph graph("sdpa", p.dtype());
  name_inputs(graph, operands);
  graph.tensor("output", output);
  cudnn::Ports outputs{{"O", "output"}};
  if (statistics.defined()) {
    graph.tensor("statistics", statistics);
    outputs["Stats"] = "statistics";
  }
  graph.node("SDPA", {{"Q", "query"}, {"K", "key"}, {"V", "value"}}, outputs, attributes(p));
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
