#include "ops/pooling_op.h"

namespace plumbline {

/// y[n, c, i, j] = mean of x[n, c, i * stride + r - padding, j * stride + s - padding] over a
/// kernel x kernel window. Backward only reads the output's gradient.
OpSpec avg_pool2d_op() {
  OpSpec op = pooling_op(
      {flag_param("count_padding", true, "padding counts as zeros in the mean, else not at all")});
  op.name = "avg_pool2d";
  op.doc = "mean of each window of n images of c x h x w";
  op.revision = 1;
  op.forward.flops = pooled_elements() + " * kernel ** 2";  // kernel ** 2 - 1 sums and a division
  op.backward.flops = pooled_elements() + " * (kernel ** 2 + 1)";
  op.reduction_length = "kernel ** 2";
  op.tolerance_factor = 2;
  return op;
}

}  // namespace plumbline
