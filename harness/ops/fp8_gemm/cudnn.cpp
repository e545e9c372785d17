#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty.h>

#include "backends/libtorch/libtorch.h"

namespace plumbline {
namespace {

CudnnProgram fp8_gemm(const Problem& p, const Operands& operands) {
  const at::Tensor& a = operands.inputs[0];
  const at::Tensor b = operands.inputs[1].t();
  const at::Tensor c =
      at::empty({1, a.size(0), b.size(1)}, a.options().dtype(scalar_type(p.dtype())));
  cudnn::Graph graph("fp8_gemm", p.dtype());
  graph.tensor("a", a.unsqueeze(0));
  graph.tensor("b", b.unsqueeze(0));
  graph.tensor("scale_a", operands.inputs[2].view({1, -1, 1}));
  graph.tensor("scale_b", operands.inputs[3].view({1, 1, -1}));
  graph.tensor("c", c);
  const char* sums_in = p.flag("fast_accumulation") ? "FAST_FLOAT_FOR_FP8" : "FLOAT";
  graph.node("MATMUL", {{"A", "a"}, {"B", "b"}}, {{"C", "product"}},
             {{"compute_data_type", sums_in}});
  graph.node("POINTWISE", {{"IN_0", "product"}, {"IN_1", "scale_a"}}, {{"OUT_0", "scaled"}},
             {{"mode", "MUL"}});
  graph.node("POINTWISE", {{"IN_0", "scaled"}, {"IN_1", "scale_b"}}, {{"OUT_0", "c"}},
             {{"mode", "MUL"}});
  return {.before = {}, .launch = {graph}, .results = {c.squeeze(0)}};
}

}  // namespace

Implementation fp8_gemm_cudnn() { return CudnnImplementation(fp8_gemm); }

}  // namespace plumbline
