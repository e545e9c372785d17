#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "backends/cudnn/families/norm.h"
#include "backends/cudnn/families/reduction.h"

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

/// Sums over images and pixels. cuDNN's reductions need channels-last: for other images, sums the
/// pixels of each channel first, then the images.
std::vector<Graph> channel_sums(const at::Tensor& gradient, const at::Tensor& result) {
  const at::Tensor sums = cudnn::rows_with_channels(result);
  if (gradient.is_contiguous(at::MemoryFormat::ChannelsLast))
    return cudnn::summed("dbias", gradient, sums);
  const std::int64_t n = gradient.size(0), k = gradient.size(1);
  const at::Tensor of_images = at::empty({n, k}, gradient.options().dtype(at::kFloat));
  std::vector<Graph> graphs =
      cudnn::summed("pixels", cudnn::rows_with_channels(gradient.view({n * k, -1})),
                    of_images.view({n * k, 1, 1, 1}));
  for (Graph& graph : cudnn::summed("dbias", cudnn::rows_with_channels(of_images), sums))
    graphs.push_back(std::move(graph));
  return graphs;
}

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
    graph.tensor("bias", cudnn_per_channel(operands.inputs[2]));
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

  if (p.flag("bias"))
    for (Graph& graph : channel_sums(gradient, program.results[2]))
      program.launch.push_back(std::move(graph));
  return program;
}

CudnnProgram conv2d(const Problem& p, const Operands& operands) {
  return p.is_backward() ? backward(p, operands) : forward(p, operands);
}

}  // namespace

Implementation conv2d_cudnn() { return CudnnImplementation(conv2d); }

}  // namespace plumbline
