#include "ops/collective_op.h"

namespace plumbline {

/// An all-reduce, and on every rank a product of two n x n matrices that does not need it, as in a
/// backward pass whose gradients are averaged while it goes on (Li et al. 2020, "PyTorch
/// Distributed"). The time is that until both are done. Results: every rank's sum, then every
/// rank's product.
OpSpec overlapped_all_reduce_op() {
  OpSpec spec = collective_op(
      "overlapped_all_reduce", "an all-reduce beside a matrix product on every rank",
      "length of a rank's vector",
      {size_param("n", "rows and columns of the product's matrices"),
       flag_param("overlap", true,
                  "the product is on a stream of its own; false: behind the all-reduce")},
      "2 * (ranks - 1) / ranks * elements * sizeof(dtype)");
  spec.forward.flops = "2 * n * n * n";
  spec.exact = "false";
  spec.reduction_length = "max(n, ranks)";
  spec.tolerance_factor = 2;
  spec.roundings = 2;
  return spec;
}

}  // namespace plumbline
