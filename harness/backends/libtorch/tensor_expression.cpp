#include "backends/libtorch/tensor_expression.h"

#include <ATen/ops/arange.h>

#include "backends/libtorch/libtorch.h"
#include "backends/libtorch/operator_call.h"
#include "core/error.h"
#include "core/expression/generated_tensor.h"

namespace plumbline {
namespace {

using Kind = Expression::Kind;

[[noreturn]] void fail(const Expression& at, const std::string& what) {
  throw Error("column " + std::to_string(at.column) + ": " + what);
}

Distribution distribution_of(const GeneratedTensor& tensor) {
  switch (tensor.generator) {
    case Generator::uniform:
      return {Distribution::Kind::uniform, -1, 1};
    case Generator::rand:
      return {Distribution::Kind::uniform, 0, 1};
    case Generator::randn:
      return {Distribution::Kind::normal, 0, 1};
    case Generator::randint:
      return {Distribution::Kind::integer, double(tensor.low), double(tensor.high)};
    case Generator::ones:
      return {Distribution::Kind::constant, 1, 1};
    case Generator::zeros:
    case Generator::arange:
    case Generator::file:
      break;
  }
  return {Distribution::Kind::constant, 0, 0};
}

at::IValue generated(const Expression& e, const TensorScope& scope) {
  const GeneratedTensor wanted = generated_tensor(e, scope.params);
  const bool is_recorded = wanted.generator == Generator::file;
  if (!scope.make || (is_recorded && !scope.read))
    fail(e, "new tensors can be declared in args only");
  if (is_recorded) return scope.read(wanted);
  at::Tensor tensor = scope.make(wanted.shape, wanted.dtype, distribution_of(wanted));
  return wanted.generator == Generator::arange ? at::arange_out(tensor, tensor.numel()) : tensor;
}

at::IValue list(const Expression& e, const TensorScope& scope) {
  Stack items;
  for (const ExpressionPtr& operand : e.operands) items.push_back(evaluate_tensor(*operand, scope));
  const auto all = [&](auto is_kind) { return std::ranges::all_of(items, is_kind); };
  if (all([](const at::IValue& i) { return i.isInt(); })) {
    c10::List<std::int64_t> values;
    for (const at::IValue& item : items) values.push_back(item.toInt());
    return values;
  }
  if (all([](const at::IValue& i) { return i.isTensor(); })) {
    c10::List<at::Tensor> values;
    for (const at::IValue& item : items) values.push_back(item.toTensor());
    return values;
  }
  if (all([](const at::IValue& i) { return i.isTensor() || i.isNone(); })) {
    c10::List<std::optional<at::Tensor>> values;
    for (const at::IValue& item : items) values.push_back(item.toOptional<at::Tensor>());
    return values;
  }
  if (all([](const at::IValue& i) { return i.isBool(); })) {
    c10::List<bool> values;
    for (const at::IValue& item : items) values.push_back(item.toBool());
    return values;
  }
  if (all([](const at::IValue& i) { return i.isInt() || i.isDouble(); })) {
    c10::List<double> values;
    for (const at::IValue& item : items) values.push_back(item.toScalar().toDouble());
    return values;
  }
  fail(e, "a list holds integers, numbers, booleans, or tensors and none, not a mixture");
}

at::IValue called(const Expression& e, const TensorScope& scope) {
  Stack positional;
  for (std::size_t i = 1; i < e.operands.size(); ++i)
    positional.push_back(evaluate_tensor(*e.operands[i], scope));
  std::map<std::string, at::IValue> named;
  for (const auto& [keyword, value] : e.keywords) named[keyword] = evaluate_tensor(*value, scope);
  try {
    const Stack results = bind_operator(e.operands[0]->name, positional, named)();
    if (results.empty()) fail(e, "'" + e.operands[0]->name + "' returns nothing");
    return results.front();
  } catch (const Error& error) {
    fail(e, error.what());
  }
}

at::IValue scalar(const Expression& e, const TensorScope& scope) {
  const Value value = evaluate(e, scope.params);
  return std::visit([](const auto& held) { return at::IValue(held); }, value);
}

}  // namespace

at::IValue evaluate_tensor(const Expression& e, const TensorScope& scope) {
  switch (e.kind) {
    case Kind::none:
      return {};
    case Kind::index:
      return generated(e, scope);
    case Kind::list:
      return list(e, scope);
    case Kind::name: {
      if (const auto found = scope.names.find(e.name); found != scope.names.end())
        return found->second;
      if (e.name == "dtype")
        return int(
            scalar_type(dtype_named(std::get<std::string>(scope.params.at("dtype"))).value()));
      return scalar(e, scope);
    }
    case Kind::call:
      return is_operator_call(e) ? called(e, scope) : scalar(e, scope);
    case Kind::conditional: {
      const bool holds = evaluate_condition(*e.operands[0], scope.params);
      return evaluate_tensor(*e.operands[holds ? 1 : 2], scope);
    }
    default:
      return scalar(e, scope);
  }
}

}  // namespace plumbline
