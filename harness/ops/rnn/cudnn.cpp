#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>

#include "backends/cudnn/families/rnn.h"

namespace plumbline {
namespace {

using cudnn::Network;

std::int64_t gates_of(const std::string& cell) {
  return cell == "lstm" ? 4 : cell == "gru" ? 3 : 1;
}

Network::Shape shape_of(const Problem& p) {
  return {.cell = p.text("cell"),
          .steps = int(p.integer("steps")),
          .batch = int(p.integer("batch")),
          .input = int(p.integer("input")),
          .hidden = int(p.integer("hidden")),
          .layers = int(p.integer("layers")),
          .directions = p.flag("bidirectional") ? 2 : 1,
          .is_training = p.is_backward()};
}

/// Weights and biases of the inputs, gate by gate, and their places in cuDNN's single block. Calls
/// `visit` with a part of an input and its place.
template <class Visit>
void for_each_part(const Problem& p, const Network& network, const Tensors& weights,
                   const at::Tensor& block, Visit visit) {
  const std::int64_t gates = gates_of(p.text("cell"));
  const std::int64_t layers = p.integer("layers") * (p.flag("bidirectional") ? 2 : 1);
  for (std::int64_t layer = 0; layer < layers; ++layer)
    for (std::int64_t gate = 0; gate < 2 * gates; ++gate) {  // gates of the input, then of the
                                                             // state
      const auto which = std::size_t(4 * layer + gate / gates);
      const Network::Part part = network.part(block, int(layer), int(gate));
      visit(weights[which].chunk(gates, 0)[std::size_t(gate % gates)], part.weight);
      visit(weights[which + 2].chunk(gates, 0)[std::size_t(gate % gates)], part.bias);
    }
}

at::Tensor at_place(void* place, const at::Tensor& like) {
  return at::from_blob(place, like.sizes(), like.options());
}

Tensors without_x(const Tensors& inputs) { return {inputs.begin() + 1, inputs.end()}; }

/// The weights in cuDNN's block; gaps are zero.
at::Tensor packed(const Problem& p, const Network& network, const Tensors& inputs) {
  const at::Tensor block = at::zeros({network.weight_bytes()},
                                     inputs[0].options().dtype(at::kByte).requires_grad(false));
  for_each_part(p, network, without_x(inputs), block,
                [](const at::Tensor& part, void* place) { at_place(place, part).copy_(part); });
  return block;
}

Tensors unpacked(const Problem& p, const Network& network, const Tensors& like,
                 const at::Tensor& block) {
  Tensors weights;
  for (const at::Tensor& weight : like) weights.push_back(at::empty_like(weight));
  for_each_part(p, network, weights, block,
                [](const at::Tensor& part, void* place) { part.copy_(at_place(place, part)); });
  return weights;
}

Prepared forward(const Problem& p, const std::shared_ptr<Network>& network,
                 const Operands& operands) {
  const at::Tensor x = operands.inputs[0];
  const at::Tensor weights = packed(p, *network, operands.inputs);
  const Network::Output out = network->output_for(x);
  const bool has_memory = p.text("cell") == "lstm";
  network->forward(x, weights, out);
  return {.launch = [=] { network->forward(x, weights, out); },
          .results =
              [=] {
                Tensors results{out.y, out.hidden};
                if (has_memory) results.push_back(out.memory);
                return results;
              },
          .clear = [] {},
          .plan = network->record()};
}

/// As in LibTorch, a launch copies the forward pass's reserved memory, which cuDNN changes, and
/// zeroes the weights' gradients, to which cuDNN adds.
Prepared backward(const Problem& p, const std::shared_ptr<Network>& network,
                  const Operands& operands) {
  const at::Tensor x = operands.inputs[0], gradient = operands.output_gradient;
  const at::Tensor weights = packed(p, *network, operands.inputs);
  const at::Tensor of_weights = at::empty_like(weights), of_x = at::empty_like(x);
  const Network::Output out = network->output_for(x);
  network->forward(x, weights, out);
  const at::Tensor reserved = out.reserved.clone();
  const Tensors like = without_x(operands.inputs);
  const Case& subject = p.subject();
  return {.launch =
              [=] {
                out.reserved.copy_(reserved);
                of_weights.zero_();
                network->backward(x, weights, out, gradient, of_x, of_weights);
              },
          .results =
              [=] {
                const at::NoGradGuard no_grad;
                Tensors results{of_x};
                for (at::Tensor& weight : unpacked(Problem(subject), *network, like, of_weights))
                  results.push_back(std::move(weight));
                return results;
              },
          .clear = [] {},
          .plan = network->record()};
}

Prepared rnn(const Problem& p, const Operands& operands) {
  const at::NoGradGuard no_grad;
  cudnn::require_cuda(operands);
  Operands detached = operands;
  for (at::Tensor& input : detached.inputs) input = input.detach();
  const auto network = cudnn::make_network(shape_of(p), p, detached.inputs);
  return p.is_backward() ? backward(p, network, detached) : forward(p, network, detached);
}

}  // namespace

Implementation rnn_cudnn() { return rnn; }

}  // namespace plumbline
