#include "backends/cudnn/cudnn.h"

#include <ATen/ops/empty.h>

#include "backends/cudnn/families/reduction.h"

namespace plumbline {
namespace {

CudnnProgram sum(const Problem& p, const Operands& operands) {
  const std::string& axis = p.text("axis");
  const at::Tensor& x = operands.inputs[0];
  const std::int64_t rows = axis == "cols" ? p.integer("rows") : 1;
  const std::int64_t cols = axis == "rows" ? p.integer("cols") : 1;
  const at::Tensor y = at::empty({rows, cols}, x.options());
  return {
      .before = {},
      .launch = cudnn::summed("sum", cudnn::rows_with_channels(x), cudnn::rows_with_channels(y)),
      .results = {axis == "all" ? y.view(at::IntArrayRef()) : y.view({-1})}};
}

}  // namespace

Implementation sum_cudnn() { return CudnnImplementation(sum); }

}  // namespace plumbline
