#include "ops/collective_op.h"

namespace plumbline {

/// s = x[0] + x[1] + … + residual, y[r, c] = s[r, c] / sqrt(mean s[r, :]^2 + eps) * weight[c], on
/// every rank: what follows a product whose inner dimension is divided over the ranks (Shoeybi et
/// al. 2019, "Megatron-LM"; Llama's normalisation, Zhang & Sennrich 2019). Results: every rank's s,
/// then every rank's y.
OpSpec all_reduce_rms_norm_op() {
  OpSpec spec = collective_op(
      "all_reduce_rms_norm",
      "sum of all ranks' matrices and a residual, and its root-mean-square normalisation by row, "
      "on every rank",
      "", {}, "2 * (ranks - 1) / ranks * rows * cols * sizeof(dtype)");
  std::erase_if(spec.params, [](const ParamSpec& param) { return param.name == "elements"; });
  spec.params.push_back(size_param("rows", "independent rows"));
  spec.params.push_back(size_param("cols", "elements normalised together"));
  spec.params.push_back({"eps", ParamKind::number, 1e-5, 0, {}, "added to the mean square"});
  spec.limits.push_back(
      {"nccl", "not graph",
       "LibTorch's part allocates memory, which a graph of several ranks does not"});
  spec.forward.flops = "(ranks + 5) * rows * cols";
  spec.exact = "false";
  spec.reduction_length = "cols";
  spec.tolerance_factor = 2;
  spec.roundings = 3;
  return spec;
}

}  // namespace plumbline
