#include "backends/cudnn/families/pooling.h"

#include <ATen/ops/empty.h>

namespace plumbline {

CudnnProgram cudnn_pooling(const std::string& mode, const std::string& padding_mode,
                           const Problem& p, const Operands& operands) {
  const auto kernel = p.integer("kernel"), padding = p.integer("padding");
  const auto stride = p.integer("stride") == 0 ? kernel : p.integer("stride");
  const auto pooled = [&](std::int64_t size) { return (size + 2 * padding - kernel) / stride + 1; };
  const auto twice = [](std::int64_t size) { return cudnn::Json::array({size, size}); };
  const at::Tensor& x = operands.inputs[0];
  const at::Tensor y =
      at::empty({p.integer("n"), p.integer("c"), pooled(p.integer("h")), pooled(p.integer("w"))},
                x.options(), x.suggest_memory_format());
  cudnn::Graph graph(p.subject().op, p.dtype());
  graph.tensor("x", x);
  graph.tensor("y", y);
  graph.node("RESAMPLE", {{"X", "x"}}, {{"Y", "y"}},
             {{"resample_mode", mode},
              {"padding_mode", padding_mode},
              {"generate_index", false},
              {"window", twice(kernel)},
              {"stride", twice(stride)},
              {"pre_padding", twice(padding)},
              {"post_padding", twice(padding)}});
  return {.before = {}, .launch = {graph}, .results = {y}};
}

}  // namespace plumbline
