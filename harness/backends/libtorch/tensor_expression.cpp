#include "backends/libtorch/tensor_expression.h"

#include <ATen/ops/arange.h>

#include <array>

#include "backends/libtorch/libtorch.h"
#include "backends/libtorch/operator_call.h"
#include "core/error.h"

namespace plumbline {
namespace {

using Kind = Expression::Kind;

[[noreturn]] void fail(const Expression& at, const std::string& what) {
  throw Error("column " + std::to_string(at.column) + ": " + what);
}

struct Generator {
  std::string_view name;
  Distribution distribution;
};
constexpr std::array kGenerators{
    Generator{"uniform", {Distribution::Kind::uniform, -1, 1}},
    Generator{"rand", {Distribution::Kind::uniform, 0, 1}},
    Generator{"randn", {Distribution::Kind::normal, 0, 1}},
    Generator{"randint", {Distribution::Kind::integer, 0, 2}},
    Generator{"ones", {Distribution::Kind::constant, 1, 1}},
    Generator{"zeros", {Distribution::Kind::constant, 0, 0}},
    Generator{"arange", {}},
};

std::int64_t integer(const Expression& e, const TensorScope& scope) {
  const Value value = evaluate(e, scope.params);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  fail(e, "found " + to_text(value) + ", expected an integer");
}

/// `name[…]` or `name(…)[…]`: a generator with its shape.
at::IValue generated(const Expression& e, const TensorScope& scope) {
  const Expression& callee = *e.operands[0];
  const bool is_call = callee.kind == Kind::call;
  const std::string& name = is_call ? callee.operands[0]->name : callee.name;
  const auto found = std::ranges::find(kGenerators, name, &Generator::name);
  if (found == kGenerators.end())
    fail(e, "'" + name + "' makes no tensors; allowed: uniform, rand, randn, randint(low, high), " +
                "ones, zeros, arange");
  if (!scope.make) fail(e, "new tensors can be declared in args only");
  const DType dtype = generated_dtype(e, scope.params).value();
  Distribution distribution = found->distribution;
  if (is_call) {
    const std::size_t given = callee.operands.size() - 1;
    if (given != (name == "randint" ? 2 : 0))
      fail(callee, name == "randint" ? "randint takes (low, high)" : name + " takes no numbers");
    if (given == 2) {
      distribution.low = double(integer(*callee.operands[1], scope));
      distribution.high = double(integer(*callee.operands[2], scope));
      if (distribution.low >= distribution.high) fail(callee, "randint needs low < high");
    }
  }
  std::vector<std::int64_t> shape;
  for (std::size_t i = 1; i < e.operands.size(); ++i) {
    shape.push_back(integer(*e.operands[i], scope));
    if (shape.back() < 0) fail(*e.operands[i], "a size is never negative");
  }
  if (name != "arange") return scope.make(shape, dtype, distribution);
  at::Tensor tensor = scope.make(shape, dtype, {Distribution::Kind::constant, 0, 0});
  return at::arange_out(tensor, tensor.numel());
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
  fail(e, "a list holds integers, numbers, booleans or tensors, not a mixture");
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

bool is_operator(const Expression& e) {
  return e.kind == Kind::call && e.operands[0]->name.find("::") != std::string::npos;
}

}  // namespace

std::optional<DType> generated_dtype(const Expression& e, const Params& params) {
  if (e.kind != Kind::index) return std::nullopt;
  const Expression& callee = *e.operands[0];
  const std::string& name = callee.kind == Kind::call ? callee.operands[0]->name : callee.name;
  std::optional<DType> dtype = name == "randint" || name == "arange"
                                   ? DType::int64
                                   : dtype_named(std::get<std::string>(params.at("dtype")));
  for (const auto& [keyword, value] : callee.keywords) {
    dtype = keyword == "dtype" ? dtype_named(to_text(evaluate(*value, params))) : std::nullopt;
    if (!dtype) fail(*value, "the one keyword is dtype=\"…\", a name such as \"float32\"");
  }
  return dtype;
}

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
      return is_operator(e) ? called(e, scope) : scalar(e, scope);
    case Kind::conditional: {
      const bool holds = evaluate_condition(*e.operands[0], scope.params);
      return evaluate_tensor(*e.operands[holds ? 1 : 2], scope);
    }
    default:
      return scalar(e, scope);
  }
}

}  // namespace plumbline
