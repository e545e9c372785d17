#include "backends/libtorch/libtorch.h"

#include <ATen/ops/_cudnn_rnn_flatten_weight.h>
#include <ATen/ops/cudnn_is_acceptable.h>
#include <ATen/ops/gru.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/rnn_relu.h>
#include <ATen/ops/rnn_tanh.h>
#include <ATen/ops/zeros.h>

namespace plumbline {
namespace {

constexpr std::int64_t kWeightsPerLayer = 4;

/// Networks with one state.
using Single = std::tuple<at::Tensor, at::Tensor> (*)(const at::Tensor&, const at::Tensor&,
                                                      at::TensorList, bool, std::int64_t, double,
                                                      bool, bool, bool);

/// cudnnRNNMode_t.
std::int64_t mode_of(const std::string& cell) {
  return cell == "relu" ? 0 : cell == "tanh" ? 1 : cell == "lstm" ? 2 : 3;
}

/// As torch.nn does: packs the weights as cuDNN needs them. Otherwise LibTorch would copy them in
/// every launch. The last tensor is the zero state.
Tensors pack(const Problem& p, const Tensors& inputs) {
  const auto hidden = p.integer("hidden"), layers = p.integer("layers");
  const std::int64_t directions = p.flag("bidirectional") ? 2 : 1;
  Tensors packed;
  for (const at::Tensor& input : inputs) packed.push_back(input.clone());
  if (at::cudnn_is_acceptable(inputs[0]))
    at::_cudnn_rnn_flatten_weight(at::TensorList(packed).slice(1), kWeightsPerLayer,
                                  p.integer("input"), mode_of(p.text("cell")), hidden,
                                  /*proj_size=*/0, layers, /*batch_first=*/false, directions == 2);
  packed.push_back(
      at::zeros({layers * directions, p.integer("batch"), hidden}, inputs[0].options()));
  return packed;
}

/// Backward keeps the graph from launch to launch. For that LibTorch copies cuDNN's reserved memory
/// of the forward pass: that copy is part of a launch.
Results rnn(const Problem& p, const Tensors& inputs) {
  const at::Tensor &x = inputs.front(), &state = inputs.back();
  const at::TensorList weights(inputs.data() + 1, inputs.size() - 2);
  const bool is_training = p.is_backward(), is_bidirectional = p.flag("bidirectional");
  const auto layers = p.integer("layers");
  const std::string& cell = p.text("cell");
  if (cell == "lstm") {
    auto [output, hidden, memory] =
        at::lstm(x, {state, state}, weights, /*has_biases=*/true, layers, /*dropout=*/0,
                 is_training, is_bidirectional, /*batch_first=*/false);
    return Tensors{output, hidden, memory};
  }
  Single function = at::gru;
  if (cell == "tanh") function = at::rnn_tanh;
  if (cell == "relu") function = at::rnn_relu;
  auto [output, hidden] = function(x, state, weights, /*has_biases=*/true, layers, /*dropout=*/0,
                                   is_training, is_bidirectional, /*batch_first=*/false);
  return Tensors{output, hidden};
}

}  // namespace

Implementation rnn_libtorch() { return libtorch_function(rnn, pack); }

}  // namespace plumbline
