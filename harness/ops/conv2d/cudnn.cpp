#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

namespace plumbline {
namespace {

using cudnn::Graph;
using cudnn::Json;

Json window(const Problem& p) {
  const auto twice = [&](const char* name) {
    return Json::array({p.integer(name), p.integer(name)});
  };
  return {{"pre_padding", twice("padding")},
          {"post_padding", twice("padding")},
          {"stride", twice("stride")},
          {"dilation", twice("dilation")}};
}

std::int64_t output_size(const Problem& p, const char* input, const char* filter) {
  const auto extent = p.integer("dilation") * (p.integer(filter) - 1) + 1;
  return (p.integer(input) + 2 * p.integer("padding") - extent) / p.integer("stride") + 1;
}

/// One value per channel as a tensor of the output's rank; its channels lie side by side.
at::Tensor per_channel(const at::Tensor& bias) { return bias.view({1, -1, 1, 1}); }

CudnnProgram forward(const Problem& p, const Operands& operands) {
  const at::Tensor y = at::empty(
      {p.integer("n"), p.integer("k"), output_size(p, "h", "r"), output_size(p, "w", "s")},
      operands.inputs[0].options(), operands.inputs[0].suggest_memory_format());
  const bool has_bias = p.flag("bias");
  Graph graph("conv2d", p.dtype());
  graph.tensor("x", operands.inputs[0]);
  graph.tensor("weight", operands.inputs[1]);
  graph.tensor("y", y);
  graph.node("CONV_FPROP", {{"X", "x"}, {"W", "weight"}}, {{"Y", has_bias ? "sum" : "y"}},
             window(p));
  if (has_bias) {
    graph.tensor("bias", per_channel(operands.inputs[2]));
    graph.node("POINTWISE", {{"IN_0", "sum"}, {"IN_1", "bias"}}, {{"OUT_0", "y"}},
               {{"mode", "ADD"}});
  }
  return {.before = {}, .launch = {graph}, .results = {y}};
}

CudnnProgram backward(const Problem& p, const Operands& operands) {
  const at::Tensor& gradient = operands.output_gradient;
  CudnnProgram program;
  for (const at::Tensor& input : operands.inputs) program.results.push_back(at::empty_like(input));

  Graph of_input("dgrad", p.dtype());
  of_input.tensor("gradient", gradient);
  of_input.tensor("weight", operands.inputs[1]);
  of_input.tensor("result", program.results[0]);
  of_input.node("CONV_DGRAD", {{"DY", "gradient"}, {"W", "weight"}}, {{"DX", "result"}}, window(p));

  Graph of_weight("wgrad", p.dtype());
  of_weight.tensor("gradient", gradient);
  of_weight.tensor("x", operands.inputs[0]);
  of_weight.tensor("result", program.results[1]);
  of_weight.node("CONV_WGRAD", {{"DY", "gradient"}, {"X", "x"}}, {{"DW", "result"}}, window(p));
  program.launch = {of_input, of_weight};

  if (p.flag("bias")) {
    Graph of_bias("dbias", p.dtype());
    of_bias.tensor("gradient", gradient);
    of_bias.tensor("result", per_channel(program.results[2]));
    of_bias.node("REDUCTION", {{"X", "gradient"}}, {{"Y", "result"}}, {{"mode", "ADD"}});
    program.launch.push_back(of_bias);
  }
  return program;
}

CudnnProgram conv2d(const Problem& p, const Operands& operands) {
  return p.is_backward() ? backward(p, operands) : forward(p, operands);
}

}  // namespace

Implementation conv2d_cudnn() { return CudnnImplementation(conv2d); }

}  // namespace plumbline
