#include "backends/libtorch/libtorch.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

namespace plumbline {
namespace {

struct TypePair {
  DType dtype;
  at::ScalarType type;
};
const TypePair kTypes[] = {
    {DType::float64, at::kDouble},    {DType::float32, at::kFloat}, {DType::float16, at::kHalf},
    {DType::bfloat16, at::kBFloat16}, {DType::int64, at::kLong},    {DType::int32, at::kInt},
    {DType::int16, at::kShort},       {DType::int8, at::kChar},     {DType::uint8, at::kByte},
    {DType::boolean, at::kBool},
};

/// The results live in a box that the launch writes and the worker reads and empties.
Prepared prepared_with_box(std::function<Tensors()> compute) {
  auto box = std::make_shared<Tensors>();
  return {.launch = [box, compute = std::move(compute)] { *box = compute(); },
          .results = [box] { return *box; },
          .clear = [box] { box->clear(); }};
}

Prepared prepare_forward(TorchFunction function, const Problem& problem, const Operands& operands) {
  return prepared_with_box([function, &problem, inputs = operands.inputs]() -> Tensors {
    const at::NoGradGuard no_grad;
    return {function(problem, inputs)};
  });
}

Prepared prepare_backward(TorchFunction function, const Problem& problem,
                          const Operands& operands) {
  Tensors leaves;
  Tensors inputs;
  for (const at::Tensor& input : operands.inputs) {
    at::Tensor leaf = input.detach();
    if (input.requires_grad()) leaves.push_back(leaf.requires_grad_());
    inputs.push_back(leaf);
  }
  const at::Tensor output = function(problem, inputs);
  return prepared_with_box([output, leaves, gradient = operands.output_gradient]() -> Tensors {
    return torch::autograd::grad({output}, leaves, {gradient}, /*retain_graph=*/true);
  });
}

}  // namespace

at::ScalarType scalar_type(DType dtype) {
  for (const TypePair& pair : kTypes)
    if (pair.dtype == dtype) return pair.type;
  throw std::logic_error("dtype without a LibTorch type");
}

DType dtype_of(at::ScalarType type) {
  for (const TypePair& pair : kTypes)
    if (pair.type == type) return pair.dtype;
  throw std::logic_error(std::string("LibTorch type ") + c10::toString(type) + " has no dtype");
}

Implementation libtorch_function(TorchFunction function) {
  return [function](const Problem& problem, const Operands& operands) {
    return problem.is_backward() ? prepare_backward(function, problem, operands)
                                 : prepare_forward(function, problem, operands);
  };
}

}  // namespace plumbline
