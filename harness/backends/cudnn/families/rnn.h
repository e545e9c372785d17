/// cuDNN's recurrent networks: cudnnRNNForward and its gradients, prepared for one shape.
///
/// The algorithms are the plans of a case, in the order of cudnnRNNAlgo_t. The heuristic plan is
/// the first one, which takes every shape. Knows no op; all weights are one block in cuDNN's
/// layout.
#pragma once

#include "backends/cudnn/legacy.h"

namespace plumbline::cudnn {

class Network {
 public:
  struct Shape {
    std::string cell;  // lstm, gru, tanh, relu
    int steps = 0, batch = 0, input = 0, hidden = 0, layers = 1, directions = 1;
    bool is_training = false;  // keeps what the gradients need
  };
  /// y: outputs of all steps. hidden, memory: the last state by layer and direction. reserved: what
  /// the gradients need.
  struct Output {
    at::Tensor y, hidden, memory, reserved;
  };
  /// Where one gate's matrix and vector lie in the block of weights.
  struct Part {
    void *weight, *bias;
  };

  /// `tf32`: float32 operands may be rounded to TF32. Throws Unsupported for a type or an algorithm
  /// that cuDNN refuses for this shape.
  Network(const Shape& shape, at::ScalarType type, bool tf32, cudnnRNNAlgo_t algorithm);

  std::int64_t weight_bytes() const { return weight_bytes_; }
  /// `layer` counts each direction as a layer; `gate` counts the input's gates, then the state's.
  Part part(const at::Tensor& block, int layer, int gate) const;
  Output output_for(const at::Tensor& x) const;

  /// Enqueues. The initial state is zero.
  void forward(const at::Tensor& x, const at::Tensor& weights, const Output& output) const;
  /// Enqueues. `output` comes from a forward pass in training. Changes output.reserved and adds to
  /// of_weights.
  void backward(const at::Tensor& x, const at::Tensor& weights, const Output& output,
                const at::Tensor& y_gradient, const at::Tensor& of_x,
                const at::Tensor& of_weights) const;

  /// JSON as for a graph's plan (store/README.md).
  std::string record() const;

 private:
  void describe(at::ScalarType type, bool tf32);
  void measure();

  using RnnDescriptor =
      Descriptor<cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor, cudnnDestroyRNNDescriptor>;
  using DataDescriptor = Descriptor<cudnnRNNDataDescriptor_t, cudnnCreateRNNDataDescriptor,
                                    cudnnDestroyRNNDataDescriptor>;
  using DropoutDescriptor = Descriptor<cudnnDropoutDescriptor_t, cudnnCreateDropoutDescriptor,
                                       cudnnDestroyDropoutDescriptor>;
  Shape shape_;
  cudnnRNNAlgo_t algorithm_;
  RnnDescriptor rnn_;
  DataDescriptor x_, y_;
  TensorDescriptor state_;
  DropoutDescriptor dropout_;
  at::Tensor lengths_, workspace_;
  std::int64_t weight_bytes_ = 0, reserved_bytes_ = 0;
};

/// Takes the algorithm that the case's plan asks for. `inputs`: x and the weights, read for the
/// type.
std::shared_ptr<Network> make_network(const Network::Shape& shape, const Problem& problem,
                                      const Tensors& inputs);

}  // namespace plumbline::cudnn
