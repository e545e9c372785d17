/// cuDNN's recurrent networks: cudnnRNNForward and its gradients, made ready for one shape.
///
/// Their algorithms are the plans of a case, in the order of cudnnRNNAlgo_t; heuristic: the first,
/// which takes every shape. Knows no op: weights are one block of cuDNN's.
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
  /// Of every step; of the last one, by layer and direction; what the gradients need.
  struct Output {
    at::Tensor y, hidden, memory, reserved;
  };
  /// Where in the block one gate's matrix and vector lie.
  struct Part {
    void *weight, *bias;
  };

  /// `tf32`: float32 operands may be rounded to it. Throws Unsupported for a type or an algorithm
  /// that cuDNN refuses for that shape.
  Network(const Shape& shape, at::ScalarType type, bool tf32, cudnnRNNAlgo_t algorithm);

  std::int64_t weight_bytes() const { return weight_bytes_; }
  /// `layer` counts directions as layers; `gate` those of the input, then those of the state.
  Part part(const at::Tensor& block, int layer, int gate) const;
  Output output_for(const at::Tensor& x) const;

  /// Enqueues. From a state of zeros.
  void forward(const at::Tensor& x, const at::Tensor& weights, const Output& output) const;
  /// Enqueues. `output` is of a forward pass in training; reserved is changed, and of_weights is
  /// added to.
  void backward(const at::Tensor& x, const at::Tensor& weights, const Output& output,
                const at::Tensor& y_gradient, const at::Tensor& of_x,
                const at::Tensor& of_weights) const;

  /// As of a graph's plan (store/README.md).
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

/// With the algorithm that the case's plan asks for. `inputs`: x and the weights, for the type.
std::shared_ptr<Network> make_network(const Network::Shape& shape, const Problem& problem,
                                      const Tensors& inputs);

}  // namespace plumbline::cudnn
