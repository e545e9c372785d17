#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty.h>

namespace plumbline {
namespace {

CudnnProgram int8_gemm(const Problem& p, const Operands& operands) {
  const at::Tensor& a = operands.inputs[0];
  const at::Tensor b = p.flag("transpose_b") ? operands.inputs[1].t() : operands.inputs[1];
  const at::Tensor c = at::empty({1, a.size(0), b.size(1)}, a.options().dtype(at::kInt));
  cudnn::Graph graph("int8_gemm", p.dtype());
  graph.tensor("a", a.unsqueeze(0));
  graph.tensor("b", b.unsqueeze(0));
  graph.tensor("c", c);
  graph.node("MATMUL", {{"A", "a"}, {"B", "b"}}, {{"C", "c"}});
  return {.before = {}, .launch = {graph}, .results = {c.squeeze(0)}};
}

}  // namespace

Implementation int8_gemm_cudnn() { return CudnnImplementation(int8_gemm); }

}  // namespace plumbline
