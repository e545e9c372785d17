#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>

#include <cmath>

#include "core/op/library_settings.h"

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

/// The extra ports for 8-bit numbers. Scales of operands and results are 1: they are the numbers
/// themselves. The weights (0 to 1) and the equally small gradients of the scores get factors,
/// because their small values would be rounded to zero. The factors use the type's range but keep
/// the largest below its 448.
class EightBits {
 public:
  EightBits(Graph& graph, const at::Tensor& like) : graph_(graph), like_(like) {}

  void forward(cudnn::Ports& inputs, cudnn::Ports& outputs) {
    scales(inputs, {"Descale_Q", "Descale_K", "Descale_V", "Scale_O"}, 1);
    weights(inputs);
    maxima(outputs, {"Amax_S", "Amax_O"});
  }

  void backward(cudnn::Ports& inputs, cudnn::Ports& outputs) {
    constexpr double kOfScores = 128;
    scales(inputs,
           {"Descale_Q", "Descale_K", "Descale_V", "Descale_O", "Descale_dO", "Scale_dQ",
            "Scale_dK", "Scale_dV"},
           1);
    weights(inputs);
    scales(inputs, {"Scale_dP"}, kOfScores);
    scales(inputs, {"Descale_dP"}, 1 / kOfScores);
    maxima(outputs, {"Amax_dQ", "Amax_dK", "Amax_dV", "Amax_d"});
  }

 private:
  using Names = std::initializer_list<const char*>;

  void weights(cudnn::Ports& inputs) {
    constexpr double kWeights = 256;
    scales(inputs, {"Scale_S"}, kWeights);
    scales(inputs, {"Descale_S"}, 1 / kWeights);
  }

  void scales(cudnn::Ports& ports, Names names, double value) {
    for (const char* name : names) {
      graph_.tensor(name, at::full({1, 1, 1, 1}, value, like_.options().dtype(at::kFloat)));
      ports[name] = name;
    }
  }

  void maxima(cudnn::Ports& ports, Names names) { scales(ports, names, 0); }

  Graph& graph_;
  const at::Tensor& like_;
};

/// `statistics`: log of the sum of exponentials for each query, which backward needs; not written
/// if undefined.
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
  if (is_float8(p.dtype())) {
    EightBits(graph, output).forward(inputs, outputs);
    given["mma_core_mode"] = "FP8_E4M3";
  }
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
  cudnn::Ports inputs{{"Q", "query"},  {"K", "key"},       {"V", "value"},
                      {"O", "output"}, {"dO", "gradient"}, {"Stats", "statistics"}};
  cudnn::Ports outputs{{"dQ", "query_gradient"}, {"dK", "key_gradient"}, {"dV", "value_gradient"}};
  const bool is_of_8_bits = is_float8(p.dtype());
  if (is_of_8_bits) EightBits(graph, output).backward(inputs, outputs);
  graph.node(is_of_8_bits ? "SDPA_FP8_BWD" : "SDPA_BWD", inputs, outputs, given);
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
