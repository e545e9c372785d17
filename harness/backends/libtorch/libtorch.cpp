#include "backends/libtorch/libtorch.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <utility>

#include "backends/libtorch/applied_settings.h"

namespace plumbline {
namespace {

struct TypePair {
  DType dtype;
  at::ScalarType type;
};
const TypePair kTypes[] = {
    {DType::float64, at::kDouble},
    {DType::float32, at::kFloat},
    {DType::float16, at::kHalf},
    {DType::bfloat16, at::kBFloat16},
    {DType::int64, at::kLong},
    {DType::int32, at::kInt},
    {DType::int16, at::kShort},
    {DType::int8, at::kChar},
    {DType::uint8, at::kByte},
    {DType::boolean, at::kBool},
    {DType::float8_e4m3fn, at::kFloat8_e4m3fn},
    {DType::float8_e5m2, at::kFloat8_e5m2},
};

/// The launch writes the results into a box; the worker reads and empties it.
Prepared prepared_with_box(std::function<Tensors()> compute) {
  auto box = std::make_shared<Tensors>();
  return {.launch = [box, compute = std::move(compute)] { *box = compute(); },
          .results = [box] { return *box; },
          .clear = [box] { box->clear(); },
          .result_handles = 2};
}

Prepared prepare_forward(const TorchFunction& function, const Problem& problem,
                         const Tensors& inputs) {
  return prepared_with_box([function, &problem, inputs]() -> Tensors {
    const at::NoGradGuard no_grad;
    return function(problem, inputs).all;
  });
}

Prepared prepare_backward(const TorchFunction& function, const Problem& problem,
                          const Tensors& inputs, const Operands& operands) {
  Tensors leaves;
  for (std::size_t i = 0; i < operands.inputs.size(); ++i)
    if (operands.inputs[i].requires_grad()) leaves.push_back(inputs[i].requires_grad_());
  const at::Tensor output = function(problem, inputs).all.front();
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

void has_other_values(const at::Tensor& tensor) {
  if (!tensor.is_inference()) tensor.unsafeGetTensorImpl()->bump_version();
}

at::Tensor exact(const at::Tensor& tensor) {
  return at::isFloatingType(tensor.scalar_type()) ? tensor.detach().to(at::kDouble)
                                                  : tensor.detach().clone();
}

Implementation libtorch_function(TorchFunction function, TorchPacking pack) {
  const Implementation plain = [function = std::move(function), pack = std::move(pack)](
                                   const Problem& problem, const Operands& operands) {
    Tensors inputs;
    for (const at::Tensor& input : operands.inputs) inputs.push_back(input.detach());
    if (pack) {
      const at::NoGradGuard no_grad;
      inputs = pack(problem, inputs);
    }
    if (problem.is_backward()) return prepare_backward(function, problem, inputs, operands);
    Prepared prepared = prepare_forward(function, problem, inputs);
    prepared.keeps_no_values = !pack;
    return prepared;
  };
  return with_library_settings(plain);
}

Implementation where_libtorch_can(Implementation implementation) {
  return [implementation = std::move(implementation)](const Problem& problem,
                                                      const Operands& operands) {
    try {
      Prepared prepared = implementation(problem, operands);
      prepared.launch();
      prepared.clear();
      return prepared;
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const c10::AcceleratorError&) {
      throw;
    } catch (const c10::NotImplementedError& missing) {
      const std::string words = missing.what_without_backtrace();
      throw Unsupported(words.substr(0, words.find(". ")));  // the rest lists other backends
    } catch (const c10::Error& refusal) {
      throw Unsupported(refusal.what_without_backtrace());
    }
  };
}

}  // namespace plumbline
