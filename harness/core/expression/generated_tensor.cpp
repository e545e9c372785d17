#include "core/expression/generated_tensor.h"

#include <algorithm>
#include <span>
#include <string>

#include "core/error.h"

namespace plumbline {
namespace {

using Kind = Expression::Kind;

[[noreturn]] void fail(const Expression& at, const std::string& what) {
  throw Error("column " + std::to_string(at.column) + ": " + what);
}

std::int64_t integer(const Expression& e, const Params& params) {
  const Value value = evaluate(e, params);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  fail(e, "found " + to_text(value) + ", expected an integer");
}

std::vector<std::int64_t> sizes(std::span<const ExpressionPtr> items, const Params& params) {
  std::vector<std::int64_t> shape;
  for (const ExpressionPtr& item : items) {
    shape.push_back(integer(*item, params));
    if (shape.back() < 0)
      fail(*item, "this size is " + std::to_string(shape.back()) + "; a size is never negative");
  }
  return shape;
}

/// `name(…)` of `name(…)[shape]`, or `name`.
const Expression& callee_of(const Expression& e) { return *e.operands[0]; }

const std::string& name_of(const Expression& callee) {
  return callee.kind == Kind::call ? callee.operands[0]->name : callee.name;
}

Generator generator_named(const std::string& name, const Expression& at) {
  const auto found = std::ranges::find(kGeneratorNames, name);
  if (found != kGeneratorNames.end())
    return static_cast<Generator>(found - kGeneratorNames.begin());
  std::string known;
  for (const std::string_view generator : kGeneratorNames)
    known += (known.empty() ? "" : ", ") + std::string(generator) +
             (generator == "randint" ? "(low, high)" : "");
  fail(at, "'" + name + "' makes no tensors; allowed: " + known);
}

}  // namespace

GeneratedTensor generated_tensor(const Expression& e, const Params& params) {
  const Expression& callee = callee_of(e);
  const std::string& name = name_of(callee);
  GeneratedTensor tensor;
  tensor.generator = generator_named(name, e);
  tensor.dtype = generated_dtype(e, params).value();
  const bool is_randint = tensor.generator == Generator::randint;
  if (callee.kind == Kind::call) {
    const std::size_t given = callee.operands.size() - 1;
    if (given != (is_randint ? 2 : 0))
      fail(callee, is_randint ? "randint takes (low, high)" : name + " takes no numbers");
    if (is_randint) {
      tensor.low = integer(*callee.operands[1], params);
      tensor.high = integer(*callee.operands[2], params);
      if (tensor.low >= tensor.high)
        fail(callee, "found randint(" + std::to_string(tensor.low) + ", " +
                         std::to_string(tensor.high) + "); randint needs low < high");
    }
  }
  tensor.shape = sizes(std::span(e.operands).subspan(1), params);
  return tensor;
}

std::optional<DType> generated_dtype(const Expression& e, const Params& params) {
  if (e.kind != Kind::index) return std::nullopt;
  const Expression& callee = callee_of(e);
  const std::string& name = name_of(callee);
  std::optional<DType> dtype = name == "randint" || name == "arange"
                                   ? DType::int64
                                   : dtype_named(std::get<std::string>(params.at("dtype")));
  for (const auto& [keyword, value] : callee.keywords) {
    dtype = keyword == "dtype" ? dtype_named(to_text(evaluate(*value, params))) : std::nullopt;
    if (!dtype) fail(*value, "the one keyword is dtype=\"…\", a name such as \"float32\"");
  }
  return dtype;
}

std::vector<std::int64_t> shape_of(const Expression& list, const Params& params) {
  if (list.kind != Kind::list) fail(list, "expected a shape: a list such as [rows, cols]");
  return sizes(list.operands, params);
}

}  // namespace plumbline
