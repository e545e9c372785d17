#include "backends/cudnn/families/rnn.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/op/library_settings.h"
#include "core/op/plan_choice.h"

namespace plumbline::cudnn {
namespace {

/// Indexed by cudnnRNNAlgo_t.
constexpr std::array kAlgorithms{"RNN_ALGO_STANDARD", "RNN_ALGO_PERSIST_STATIC",
                                 "RNN_ALGO_PERSIST_DYNAMIC", "RNN_ALGO_PERSIST_STATIC_SMALL_H"};

cudnnRNNMode_t mode_of(const std::string& cell) {
  if (cell == "lstm") return CUDNN_LSTM;
  if (cell == "gru") return CUDNN_GRU;
  return cell == "tanh" ? CUDNN_RNN_TANH : CUDNN_RNN_RELU;
}

void* address(const at::Tensor& tensor) { return tensor.defined() ? tensor.data_ptr() : nullptr; }

std::size_t bytes(const at::Tensor& tensor) { return tensor.defined() ? tensor.nbytes() : 0; }

}  // namespace

Network::Network(const Shape& shape, at::ScalarType type, bool tf32, cudnnRNNAlgo_t algorithm)
    : shape_(shape), algorithm_(algorithm) {
  describe(type, tf32);
  if (algorithm_ == CUDNN_RNN_ALGO_PERSIST_DYNAMIC)
    require(cudnnBuildRNNDynamic(handle(), rnn_, shape_.batch), "cudnnBuildRNNDynamic");
  measure();
}

void Network::describe(at::ScalarType type, bool tf32) {
  const cudnnDataType_t data = data_type(type);
  const bool is_half = type == at::kHalf || type == at::kBFloat16;
  const cudnnMathType_t math = is_half ? CUDNN_TENSOR_OP_MATH
                               : tf32  ? CUDNN_DEFAULT_MATH  // rounds float32 to TF32
                                       : CUDNN_FMA_MATH;
  require(cudnnSetDropoutDescriptor(dropout_, handle(), /*dropout=*/0, nullptr, 0, /*seed=*/0),
          "cudnnSetDropoutDescriptor");
  require(
      cudnnSetRNNDescriptor_v8(rnn_, algorithm_, mode_of(shape_.cell), CUDNN_RNN_DOUBLE_BIAS,
                               shape_.directions == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL,
                               CUDNN_LINEAR_INPUT, data, is_half ? CUDNN_DATA_FLOAT : data, math,
                               shape_.input, shape_.hidden, /*projSize=*/shape_.hidden,
                               shape_.layers, dropout_, CUDNN_RNN_PADDED_IO_DISABLED),
      "cudnnSetRNNDescriptor_v8");
  const std::vector<int> lengths(std::size_t(shape_.batch), shape_.steps);
  const auto sequence = [&](const DataDescriptor& descriptor, int width) {
    require(cudnnSetRNNDataDescriptor(descriptor, data, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
                                      shape_.steps, shape_.batch, width, lengths.data(),
                                      /*paddingFill=*/nullptr),
            "cudnnSetRNNDataDescriptor");
  };
  sequence(x_, shape_.input);
  sequence(y_, shape_.hidden * shape_.directions);
  const int dims[] = {shape_.layers * shape_.directions, shape_.batch, shape_.hidden};
  const int strides[] = {dims[1] * dims[2], dims[2], 1};
  require(cudnnSetTensorNdDescriptor(state_, data, 3, dims, strides), "cudnnSetTensorNdDescriptor");
}

void Network::measure() {
  std::size_t weights = 0, workspace = 0, reserved = 0;
  require(cudnnGetRNNWeightSpaceSize(handle(), rnn_, &weights), "cudnnGetRNNWeightSpaceSize");
  const auto mode = shape_.is_training ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
  require(cudnnGetRNNTempSpaceSizes(handle(), rnn_, mode, x_, &workspace, &reserved),
          "cudnnGetRNNTempSpaceSizes");
  weight_bytes_ = std::int64_t(weights);
  reserved_bytes_ = std::int64_t(reserved);
  workspace_ = memory(workspace);
  lengths_ =
      at::full({shape_.batch}, shape_.steps, at::TensorOptions().dtype(at::kInt).device(at::kCUDA));
}

Network::Part Network::part(const at::Tensor& block, int layer, int gate) const {
  const TensorDescriptor matrix, vector;
  Part part{};
  require(cudnnGetRNNWeightParams(handle(), rnn_, layer, std::size_t(weight_bytes_),
                                  block.data_ptr(), gate, matrix, &part.weight, vector, &part.bias),
          "cudnnGetRNNWeightParams");
  if (part.weight == nullptr || part.bias == nullptr)
    throw std::runtime_error("cudnnGetRNNWeightParams: gate " + std::to_string(gate) +
                             " of layer " + std::to_string(layer) + " has no weights");
  return part;
}

Network::Output Network::output_for(const at::Tensor& x) const {
  const std::vector<std::int64_t> state{shape_.layers * shape_.directions, shape_.batch,
                                        shape_.hidden};
  Output output;
  output.y =
      at::empty({shape_.steps, shape_.batch, shape_.hidden * shape_.directions}, x.options());
  output.hidden = at::empty(state, x.options());
  if (shape_.cell == "lstm") output.memory = at::empty(state, x.options());
  output.reserved = memory(std::size_t(reserved_bytes_));
  return output;
}

void Network::forward(const at::Tensor& x, const at::Tensor& weights, const Output& output) const {
  require(
      cudnnRNNForward(handle(), rnn_,
                      shape_.is_training ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE,
                      lengths_.data_ptr<int>(), x_, x.data_ptr(), y_, output.y.data_ptr(), state_,
                      /*hx=*/nullptr, output.hidden.data_ptr(), state_, /*cx=*/nullptr,
                      address(output.memory), std::size_t(weight_bytes_), weights.data_ptr(),
                      bytes(workspace_), workspace_.data_ptr(), std::size_t(reserved_bytes_),
                      reserved_bytes_ == 0 ? nullptr : output.reserved.data_ptr()),
      "cudnnRNNForward");
}

void Network::backward(const at::Tensor& x, const at::Tensor& weights, const Output& output,
                       const at::Tensor& y_gradient, const at::Tensor& of_x,
                       const at::Tensor& of_weights) const {
  require(cudnnRNNBackwardData_v8(
              handle(), rnn_, lengths_.data_ptr<int>(), y_, output.y.data_ptr(),
              y_gradient.data_ptr(), x_, of_x.data_ptr(), state_, /*hx=*/nullptr, /*dhy=*/nullptr,
              /*dhx=*/nullptr, state_, /*cx=*/nullptr, /*dcy=*/nullptr, /*dcx=*/nullptr,
              std::size_t(weight_bytes_), weights.data_ptr(), bytes(workspace_),
              workspace_.data_ptr(), std::size_t(reserved_bytes_), output.reserved.data_ptr()),
          "cudnnRNNBackwardData_v8");
  require(cudnnRNNBackwardWeights_v8(
              handle(), rnn_, CUDNN_WGRAD_MODE_ADD, lengths_.data_ptr<int>(), x_, x.data_ptr(),
              state_, /*hx=*/nullptr, y_, output.y.data_ptr(), std::size_t(weight_bytes_),
              of_weights.data_ptr(), bytes(workspace_), workspace_.data_ptr(),
              std::size_t(reserved_bytes_), output.reserved.data_ptr()),
          "cudnnRNNBackwardWeights_v8");
}

std::string Network::record() const {
  return nlohmann::json::array({{{"graph", "rnn"},
                                 {"plan", kAlgorithms[std::size_t(algorithm_)]},
                                 {"index", int(algorithm_)},
                                 {"candidates", kAlgorithms.size()},
                                 {"workspace", workspace_.numel()}}})
      .dump();
}

std::shared_ptr<Network> make_network(const Network::Shape& shape, const Problem& problem,
                                      const Tensors& inputs) {
  const PlanChoice choice = plan_choice(problem.subject().params);
  const bool tf32 = library_settings(problem.subject().params).tf32;
  return std::make_shared<Network>(shape, inputs[0].scalar_type(), tf32,
                                   cudnnRNNAlgo_t(choice.index));
}

}  // namespace plumbline::cudnn
