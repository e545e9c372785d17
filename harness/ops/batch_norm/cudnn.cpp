#include <ATen/ops/empty_like.h>

#include "backends/cudnn/families/norm.h"

namespace plumbline {
namespace {

/// With given statistics: composed of several operations, because cuDNN's single operation needs 1
/// / sigma, which no plan computes.
CudnnProgram normalised(const Problem& p, const Operands& operands) {
  const at::Tensor& x = operands.inputs[0];
  const at::Tensor y = at::empty_like(x);
  cudnn::Graph graph("batch_norm", p.dtype());
  graph.tensor("x", x);
  graph.tensor("y", y);
  const char* names[] = {"weight", "bias", "mean", "variance"};
  for (std::size_t i = 0; i < std::size(names); ++i)
    graph.tensor(names[i], cudnn_per_channel(operands.inputs[1 + i]));
  graph.scalar("epsilon", p.number("eps"));
  const auto step = [&](const char* mode, const char* a, const char* b, const char* result) {
    graph.node("POINTWISE", {{"IN_0", a}, {"IN_1", b}}, {{"OUT_0", result}}, {{"mode", mode}});
  };
  step("ADD", "variance", "epsilon", "widened");
  graph.node("POINTWISE", {{"IN_0", "widened"}}, {{"OUT_0", "inverse"}}, {{"mode", "RSQRT"}});
  step("SUB", "x", "mean", "centred");
  step("MUL", "centred", "inverse", "normal");
  step("MUL", "normal", "weight", "scaled");
  step("ADD", "scaled", "bias", "y");
  return {.before = {}, .launch = {graph}, .results = {y}};
}

CudnnProgram batch_norm(const Problem& p, const Operands& operands) {
  if (!p.flag("training")) return normalised(p, operands);
  return cudnn_norm({.forward = "BATCHNORM",
                     .backward = "DBN",
                     .has_phase = false,
                     .images = [](const at::Tensor& x) { return x; },
                     .parameters = cudnn_per_channel,
                     .statistics = {1, p.integer("c"), 1, 1}},
                    p, operands);
}

}  // namespace

Implementation batch_norm_cudnn() { return CudnnImplementation(batch_norm); }

}  // namespace plumbline
