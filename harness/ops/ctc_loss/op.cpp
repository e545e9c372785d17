#include "core/op/library_settings.h"
#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// loss[b] = -log of the probability that the classes of sequence b, step by step, give its labels
/// after repetitions and then blanks (class 0) are removed (Graves et al. 2006). All sequences have
/// all steps, all texts all labels. The probabilities are the softmax of x. The cost counts the
/// softmax (5 operations an element) and, for each step, a sum of three probabilities at each of 2
/// labels + 1 places (6 operations; a logarithm or exponential is one). Backward counts them again
/// and the gradient's difference. A path's log-probability grows with the number of steps and is
/// rounded at each step. The gradient is its exponential, so its relative error grows with
/// steps^1.5.
OpSpec ctc_loss_op() {
  const std::string scores = "steps * batch * classes";
  const std::string places = "steps * batch * (2 * labels + 1)";
  return {
      .name = "ctc_loss",
      .doc = "connectionist temporal classification loss of a batch of sequences, from logits",
      .revision = 1,
      .params = {size_param("steps", "length of the sequences"),
                 size_param("batch", "sequences"),
                 {"classes", ParamKind::integer, std::nullopt, 2, {}, "classes, 0 being the blank"},
                 size_param("labels", "length of the texts"),
                 library_param("deterministic")},
      .dtypes = {DType::float64, DType::float32},
      .has_backward = true,
      .requirements = {{"2 * labels <= steps",
                        "texts in which labels repeat need up to 2 * labels - 1 steps"}},
      .limits =
          {{"cudnn", "direction == 'forward'",
            "cuDNN's gradient is that of the losses' sum: it takes no gradient for each loss"},
           {"cudnn", "dtype == 'float32'", "cuDNN's CTC loss is float32 only"},
           {"cudnn", "labels <= 255", "cuDNN's CTC loss takes at most 255 labels"},
           no_plans("CTC loss")},
      .forward = {"5 * " + scores + " + 6 * " + places,
                  "(" + scores + " + batch) * sizeof(dtype) + 8 * batch * labels"},
      .backward = {"6 * " + scores + " + 12 * " + places,
                   "(2 * " + scores + " + batch) * sizeof(dtype) + 8 * batch * labels"},
      .reduction_length =
          "steps * max(classes + 3, direction == 'forward' ? 0 : steps * steps / 100)",
      .tolerance_factor = 8,
  };
}

}  // namespace plumbline
