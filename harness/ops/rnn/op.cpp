#include "core/op/library_settings.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// A recurrent network over x[step, sequence, feature], from a zero state, with biases. Each layer
/// runs on the output of the layer before. If bidirectional, both directions run side by side.
/// Cells: lstm (Hochreiter & Schmidhuber 1997, with forget gates), gru (Cho et al. 2014, the reset
/// gate after the product as in cuDNN), tanh and relu (Elman 1990). Results: the last layer's
/// output for every step, and the last states. The cost counts the matrix products (backward
/// twice), and inputs, weights and results moved once, not the weights once a step.
OpSpec rnn_op() {
  const std::string gates = "(cell == 'lstm' ? 4 : cell == 'gru' ? 3 : 1)";
  const std::string directions = "(bidirectional ? 2 : 1)";
  // Inputs and hidden states of the first layer and of the others.
  const std::string terms = "(input + hidden + (layers - 1) * (" + directions + " + 1) * hidden)";
  const std::string products = gates + " * hidden * " + directions + " * " + terms;
  const std::string weights =
      gates + " * hidden * " + directions + " * (" + terms + " + 2 * layers)";
  const std::string x = "steps * batch * input";
  const std::string output = "steps * batch * hidden * " + directions;
  const std::string states = "(cell == 'lstm' ? 2 : 1) * layers * batch * hidden * " + directions;
  return {
      .name = "rnn",
      .doc = "recurrent network (LSTM, GRU, Elman) over a batch of sequences",
      .revision = 2,
      .params = {word_param("cell", {"lstm", "gru", "tanh", "relu"},
                            "what a step computes; tanh and relu: Elman's network"),
                 size_param("steps", "length of the sequences"),
                 size_param("batch", "sequences"),
                 size_param("input", "features of a step"),
                 size_param("hidden", "features of the state"),
                 {"layers", ParamKind::integer, std::int64_t{1}, 1, {}, "layers", 64},
                 flag_param("bidirectional", false,
                            "a second network runs from the last step to the first"),
                 library_param("tf32")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {tf32_requirement()},
      .limits = {{"cudnn", "plan != 'autotune'",
                  "plan=autotune: cuDNN's recurrent networks are no graph; an index from 0 to 3 "
                  "takes one of their algorithms"},
                 {"cudnn",
                  "plan == 'autotune' or plan == 'heuristic' or plan == '0' or plan == '1' or plan "
                  "== '2' or plan == '3'",
                  "cuDNN's recurrent networks have 4 algorithms, plan=0 to 3"}},
      .forward = {"2 * steps * batch * " + products, "(" + x + " + " + weights + " + " + output +
                                                         " + " + states + ") * sizeof(dtype)"},
      .backward = {"4 * steps * batch * " + products,
                   "(2 * " + x + " + 2 * " + weights + " + " + output + ") * sizeof(dtype)"},
      // Every step rounds the state to `dtype`, and the next step uses it.
      .reduction_length =
          "steps * (direction == 'forward' ? input + hidden : "
          "max(input + hidden, batch))",
      .tolerance_factor = 4,
      .roundings = 4,
      .checked =
          "the results; states are rounded to the dtype at every step, and the next builds on it",
  };
}

}  // namespace plumbline
