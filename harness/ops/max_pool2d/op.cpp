#include "ops/pooling_op.h"

namespace plumbline {

/// y[n, c, i, j] = the largest x[n, c, i * stride + r - padding, j * stride + s - padding] in a
/// kernel x kernel window; padding never wins. Backward gives the gradient to the first of equal
/// values. The information about the forward pass that it needs for that does not count as moved.
OpSpec max_pool2d_op() {
  OpSpec op = pooling_op();
  op.name = "max_pool2d";
  op.doc = "largest value of each window of n images of c x h x w";
  op.revision = 1;
  op.forward.flops = pooled_elements() + " * kernel ** 2";  // a comparison per element of a window
  op.backward.flops = pooled_elements();
  op.reduction_length = "direction == 'forward' ? 1 : kernel ** 2";
  op.tolerance_factor = 2;
  op.exact = "direction == 'forward'";
  op.hinges_on_ties = true;
  return op;
}

}  // namespace plumbline
