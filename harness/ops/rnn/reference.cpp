#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::int64_t directions(const Problem& p) { return p.flag("bidirectional") ? 2 : 1; }

std::int64_t gates(const Problem& p) {
  const std::string& cell = p.text("cell");
  return cell == "lstm" ? 4 : cell == "gru" ? 3 : 1;
}

/// At relu's kink, rounding decides on which side a state is, even in float32: on an H200 some
/// gradients of 50 steps differed from float64's. So relu's gradients are only tested with states
/// far from zero. Biases switch every other unit on and its neighbours off. The products, about a
/// tenth of the biases, do not change that.
bool is_kept_from_zero(const Problem& p) { return p.text("cell") == "relu" && p.is_backward(); }
constexpr double kBiasFromZero = 2;
constexpr double kWeightsBesideIt = 0.25;

at::Tensor on_and_off(const at::Tensor& biases) {
  const at::Tensor parity = at::arange(biases.size(0), biases.options()).remainder(2.0);
  return (biases + kBiasFromZero * (1.0 - 2.0 * parity)).contiguous();
}

/// x, then for each layer and direction: weights of the input and of the state, and their biases.
/// Their size is that of PyTorch's initial values.
std::vector<InputSpec> inputs(const Problem& p) {
  const auto hidden = p.integer("hidden");
  const std::int64_t rows = gates(p) * hidden;
  const double bound = (is_kept_from_zero(p) ? kWeightsBesideIt : 1.0) / std::sqrt(double(hidden));
  std::vector<InputSpec> specs{
      {.name = "x",
       .shape = {p.integer("steps"), p.integer("batch"), p.integer("input")},
       .dtype = p.dtype()}};
  const auto add = [&](const char* name, const std::vector<std::int64_t>& shape) -> InputSpec& {
    return specs.emplace_back(
        InputSpec{.name = name,
                  .shape = shape,
                  .dtype = p.dtype(),
                  .distribution = {Distribution::Kind::uniform, -bound, bound}});
  };
  for (std::int64_t layer = 0; layer < p.integer("layers"); ++layer)
    for (std::int64_t direction = 0; direction < directions(p); ++direction) {
      add("weight", {rows, layer == 0 ? p.integer("input") : directions(p) * hidden});
      add("weight of the state", {rows, hidden});
      InputSpec& bias = add("bias", {rows});
      if (is_kept_from_zero(p)) bias.arrange = on_and_off;
      add("bias of the state", {rows});
    }
  return specs;
}

struct State {
  at::Tensor hidden, cell;  // cell: lstm only
};

/// One step from the contributions of input and state to the gates.
State stepped(const std::string& cell, const at::Tensor& of_input, const at::Tensor& of_state,
              const State& before) {
  if (cell == "tanh") return {at::tanh(of_input + of_state), {}};
  if (cell == "relu") return {at::relu(of_input + of_state), {}};
  if (cell == "lstm") {
    const auto gate = (of_input + of_state).chunk(4, -1);  // input, forget, new, output
    const at::Tensor kept = at::sigmoid(gate[1]) * before.cell;
    const at::Tensor memory = kept + at::sigmoid(gate[0]) * at::tanh(gate[2]);
    return {at::sigmoid(gate[3]) * at::tanh(memory), memory};
  }
  const auto input = of_input.chunk(3, -1), state = of_state.chunk(3, -1);  // reset, update, new
  const at::Tensor proposed = at::tanh(input[2] + at::sigmoid(input[0] + state[0]) * state[2]);
  const at::Tensor update = at::sigmoid(input[1] + state[1]);
  return {(1.0 - update) * proposed + update * before.hidden, {}};
}

struct Sequence {
  at::Tensor output;  // of every step
  State last;
};

Sequence run(const Problem& p, const at::Tensor& x, const at::Tensor* weights, bool is_reversed) {
  // Unbound, because with indexing each step has a gradient as large as the sequence.
  const Tensors of_inputs = (at::matmul(x, weights[0].t()) + weights[2]).unbind(0);
  const at::Tensor zeros = at::zeros({x.size(1), p.integer("hidden")}, x.options());
  State state{zeros, zeros};
  Tensors outputs;
  for (std::size_t i = 0; i < of_inputs.size(); ++i) {
    const at::Tensor of_state = at::matmul(state.hidden, weights[1].t()) + weights[3];
    const std::size_t step = is_reversed ? of_inputs.size() - 1 - i : i;
    state = stepped(p.text("cell"), of_inputs[step], of_state, state);
    outputs.push_back(state.hidden);
  }
  if (is_reversed) std::ranges::reverse(outputs);
  return {at::stack(outputs), state};
}

Results reference(const Problem& p, const Tensors& inputs) {
  at::Tensor x = inputs[0];
  const at::Tensor* weights = inputs.data() + 1;
  Tensors hidden, cells;
  for (std::int64_t layer = 0; layer < p.integer("layers"); ++layer) {
    Tensors outputs;
    for (std::int64_t direction = 0; direction < directions(p); ++direction, weights += 4) {
      const Sequence sequence = run(p, x, weights, direction == 1);
      outputs.push_back(sequence.output);
      hidden.push_back(sequence.last.hidden);
      if (p.text("cell") == "lstm") cells.push_back(sequence.last.cell);
    }
    x = at::cat(outputs, -1);
  }
  Tensors results{x, at::stack(hidden)};
  if (!cells.empty()) results.push_back(at::stack(cells));
  return results;
}

}  // namespace

Definition rnn_definition() { return {inputs, reference}; }

}  // namespace plumbline
