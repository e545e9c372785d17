#include "backends/libtorch/operator_call.h"

#include "backends/libtorch/libtorch.h"
#include "core/error.h"
#include "core/expression/expression.h"

namespace plumbline {
namespace {

struct OperatorName {
  std::string name, overload;
  bool has_overload = false;
};

OperatorName split(const std::string& text) {
  const auto colons = text.find("::");
  const auto dot = text.find('.', colons == std::string::npos ? 0 : colons);
  if (dot == std::string::npos) return {text, "", false};
  return {text.substr(0, dot), text.substr(dot + 1), true};
}

std::vector<std::string> overloads_of(const std::string& name) {
  std::vector<std::string> overloads;
  for (const c10::OperatorName& known : c10::Dispatcher::singleton().getAllOpNames())
    if (known.name == name) overloads.push_back(known.overload_name);
  std::ranges::sort(overloads);
  return overloads;
}

std::optional<at::ScalarType> type_named(const std::string& name) {
  const auto dtype = dtype_named(name);
  return dtype ? std::optional(scalar_type(*dtype)) : std::nullopt;
}

std::optional<at::MemoryFormat> memory_format(const std::string& name) {
  if (name == "contiguous") return at::MemoryFormat::Contiguous;
  if (name == "preserve") return at::MemoryFormat::Preserve;
  if (name == "channels_last") return at::MemoryFormat::ChannelsLast;
  if (name == "channels_last_3d") return at::MemoryFormat::ChannelsLast3d;
  return std::nullopt;
}

/// Converts the lists that a suite writes to those of the schema; returns `value` if nothing is to
/// be converted.
at::IValue adapted_list(const at::IValue& value, c10::TypeKind element) {
  const bool is_of_ints = element == c10::TypeKind::IntType || element == c10::TypeKind::SymIntType;
  if (is_of_ints && value.isInt()) return c10::List<std::int64_t>({value.toInt()});
  if (element == c10::TypeKind::FloatType && value.isIntList()) {
    c10::List<double> numbers;
    for (const std::int64_t number : value.toIntVector()) numbers.push_back(double(number));
    return numbers;
  }
  if (element == c10::TypeKind::NumberType && (value.isIntList() || value.isDoubleList())) {
    c10::impl::GenericList numbers(c10::NumberType::get());
    for (const at::IValue& number : value.toListRef()) numbers.push_back(number);
    return numbers;
  }
  if (element == c10::TypeKind::BoolType && value.isIntList() && value.toIntVector().empty())
    return c10::List<bool>();
  if (element == c10::TypeKind::OptionalType && value.isTensorList()) {
    c10::List<std::optional<at::Tensor>> tensors;
    for (const at::Tensor& tensor : value.toTensorVector()) tensors.push_back(tensor);
    return tensors;
  }
  return value;
}

/// Converts the values of a suite: `1` for a float or a list, texts for devices, dtypes and memory
/// formats, `none` for a tensor that LibTorch's own callers leave undefined.
at::IValue adapted(const at::IValue& value, const c10::TypePtr& type) {
  const auto kind = type->kind();
  if (kind == c10::TypeKind::OptionalType && !value.isNone())
    return adapted(value, type->castRaw<c10::OptionalType>()->getElementType());
  if (kind == c10::TypeKind::TensorType && value.isNone()) return at::Tensor();
  if (kind == c10::TypeKind::FloatType && value.isInt()) return double(value.toInt());
  if (kind == c10::TypeKind::DeviceObjType && value.isString())
    return c10::Device(value.toStringRef());
  if (kind == c10::TypeKind::ScalarTypeType && value.isString())
    if (const auto named = type_named(value.toStringRef())) return int(*named);
  if (kind == c10::TypeKind::MemoryFormatType && value.isString())
    if (const auto format = memory_format(value.toStringRef())) return int(*format);
  if (kind != c10::TypeKind::ListType) return value;
  return adapted_list(value, type->castRaw<c10::ListType>()->getElementType()->kind());
}

OperatorCall bind(const c10::OperatorHandle& handle, const Stack& positional,
                  const std::map<std::string, at::IValue>& named) {
  const c10::FunctionSchema& schema = handle.schema();
  const auto& arguments = schema.arguments();
  Stack stack;
  for (std::size_t i = 0; i < positional.size(); ++i)
    stack.push_back(i < arguments.size() ? adapted(positional[i], arguments[i].real_type())
                                         : positional[i]);
  std::unordered_map<std::string, at::IValue> keywords;
  for (const auto& [name, value] : named) {
    const auto index = schema.argumentIndexWithName(name);
    keywords[name] = index ? adapted(value, arguments[std::size_t(*index)].real_type()) : value;
  }
  schema.checkAndNormalizeInputs(stack, keywords);
  return {handle, std::move(stack)};
}

/// Throws for the first name that is not an argument of any of these overloads of an operator.
void check_names(const std::string& op, const std::vector<c10::OperatorHandle>& overloads,
                 const std::map<std::string, at::IValue>& named) {
  std::vector<std::string> known;
  for (const c10::OperatorHandle& handle : overloads)
    for (const c10::Argument& argument : handle.schema().arguments())
      if (std::ranges::find(known, argument.name()) == known.end())
        known.push_back(argument.name());
  for (const auto& [name, value] : named)
    if (std::ranges::find(known, name) == known.end())
      throw Error(no_such_argument(op, name, known));
}

/// First line of LibTorch's message; the rest is a C++ backtrace.
std::string brief(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  return torch_error ? torch_error->what_without_backtrace() : error.what();
}

}  // namespace

OperatorCall bind_operator(const std::string& text, const Stack& positional,
                           const std::map<std::string, at::IValue>& named) {
  const OperatorName wanted = split(text);
  std::vector<std::string> overloads = overloads_of(wanted.name);
  if (overloads.empty()) throw Error("the dispatcher has no operator '" + wanted.name + "'");
  if (wanted.has_overload && std::ranges::find(overloads, wanted.overload) == overloads.end()) {
    std::string known;
    for (const std::string& overload : overloads)
      known += (known.empty() ? "" : ", ") + (overload.empty() ? "(none)" : overload);
    throw Error("'" + wanted.name + "' has no overload '" + wanted.overload +
                "'; it has: " + known);
  }
  if (wanted.has_overload) overloads = {wanted.overload};
  std::vector<c10::OperatorHandle> handles;
  for (const std::string& overload : overloads)
    if (auto found = c10::Dispatcher::singleton().findSchema({wanted.name, overload}))
      handles.push_back(*found);
  check_names(text, handles, named);
  std::string mistakes;
  for (const c10::OperatorHandle& handle : handles) {
    try {
      return bind(handle, positional, named);
    } catch (const std::exception& error) {
      mistakes += "\n  " + brief(error);
    }
  }
  throw Error("no overload of '" + wanted.name + "' takes these arguments:" + mistakes);
}

Stack OperatorCall::operator()() const {
  Stack stack = arguments;
  handle.callBoxed(&stack);
  return stack;
}

std::vector<at::Tensor> tensors_in(const Stack& values) {
  std::vector<at::Tensor> tensors;
  const auto add = [&](const at::IValue& value, const auto& self) -> void {
    if (value.isTensor() && value.toTensor().defined()) tensors.push_back(value.toTensor());
    if (value.isList())
      for (const at::IValue& item : value.toList()) self(item, self);
    if (value.isTuple())
      for (const at::IValue& item : value.toTupleRef().elements()) self(item, self);
  };
  for (const at::IValue& value : values) add(value, add);
  return tensors;
}

Stack map_tensors(const Stack& values, const std::function<at::Tensor(const at::Tensor&)>& change) {
  Stack mapped;
  for (const at::IValue& value : values) {
    if (value.isTensor() && value.toTensor().defined()) {
      mapped.emplace_back(change(value.toTensor()));
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(change(tensor));
      mapped.emplace_back(list);
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const auto& tensor : value.toOptionalTensorVector())
        list.push_back(tensor ? std::optional(change(*tensor)) : std::nullopt);
      mapped.emplace_back(list);
    } else {
      mapped.push_back(value);
    }
  }
  return mapped;
}

}  // namespace plumbline
