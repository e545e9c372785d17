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
             (generator == "randint" ? "(low, high)"
              : generator == "file"  ? "('x.safetensors', 'x')"
                                     : "");
  fail(at, "'" + name + "' makes no tensors; allowed: " + known);
}

std::string text(const Expression& e, const Params& params) {
  const Value value = evaluate(e, params);
  if (const auto* found = std::get_if<std::string>(&value); found && !found->empty()) return *found;
  const std::string found = to_text(value);
  fail(e, "found " + (found.empty() ? "''" : found) +
              ", expected a name in quotes, or a parameter that holds one");
}

/// `file('path')`, `file('path', 'tensor')`.
void read_names(const Expression& callee, const Params& params, GeneratedTensor& tensor) {
  const std::size_t given = callee.kind == Kind::call ? callee.operands.size() - 1 : 0;
  if (given != 1 && given != 2)
    fail(callee,
         "file takes the path of a file and the name of a tensor in it: "
         "file('x.safetensors', 'x')");
  tensor.file = text(*callee.operands[1], params);
  if (given == 2) tensor.tensor = text(*callee.operands[2], params);
}

/// `shuffle = 0`, `nan = true` of a file.
void read_choices(const Expression& callee, const Params& params, GeneratedTensor& tensor) {
  for (const auto& [keyword, value] : callee.keywords) {
    if (keyword == "shuffle") {
      tensor.shuffle = integer(*value, params);
      if (*tensor.shuffle < 0 || *tensor.shuffle >= std::int64_t(tensor.shape.size()))
        fail(*value, "found shuffle=" + std::to_string(*tensor.shuffle) +
                         "; it is a dimension of the shape, from 0 to " +
                         std::to_string(std::int64_t(tensor.shape.size()) - 1));
    } else if (keyword == "nan") {
      const Value given = evaluate(*value, params);
      const bool* const allows = std::get_if<bool>(&given);
      if (allows == nullptr) fail(*value, "found " + to_text(given) + "; nan is true or false");
      tensor.may_have_nan = *allows;
    }
  }
}

bool is_keyword(const std::string& keyword, bool is_file) {
  return keyword == "dtype" || (is_file && (keyword == "shuffle" || keyword == "nan"));
}

}  // namespace

GeneratedTensor generated_tensor(const Expression& e, const Params& params) {
  const Expression& callee = callee_of(e);
  const std::string& name = name_of(callee);
  GeneratedTensor tensor;
  tensor.generator = generator_named(name, e);
  tensor.dtype = generated_dtype(e, params).value();
  const bool is_randint = tensor.generator == Generator::randint;
  const bool is_file = tensor.generator == Generator::file;
  if (is_file) {
    read_names(callee, params, tensor);
  } else if (callee.kind == Kind::call) {
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
  if (is_file) read_choices(callee, params, tensor);
  return tensor;
}

std::optional<DType> generated_dtype(const Expression& e, const Params& params) {
  if (e.kind != Kind::index) return std::nullopt;
  const Expression& callee = callee_of(e);
  const std::string& name = name_of(callee);
  std::optional<DType> dtype = name == "randint" || name == "arange"
                                   ? DType::int64
                                   : dtype_named(std::get<std::string>(params.at("dtype")));
  const bool is_file = name == "file";
  const std::string allowed =
      is_file ? "the keywords are dtype=\"…\", a name such as \"float32\", shuffle=0 and nan=true"
              : "the one keyword is dtype=\"…\", a name such as \"float32\"";
  for (const auto& [keyword, value] : callee.keywords) {
    if (!is_keyword(keyword, is_file)) fail(*value, allowed);
    if (keyword != "dtype") continue;
    dtype = dtype_named(to_text(evaluate(*value, params)));
    if (!dtype) fail(*value, allowed);
  }
  return dtype;
}

std::vector<std::int64_t> shape_of(const Expression& list, const Params& params) {
  if (list.kind != Kind::list) fail(list, "expected a shape: a list such as [rows, cols]");
  return sizes(list.operands, params);
}

}  // namespace plumbline
