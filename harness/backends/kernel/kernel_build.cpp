#include "backends/kernel/kernel_build.h"

#include <cmath>

#include "backends/files.h"
#include "core/error.h"
#include "core/expression/expression.h"
#include "core/op/scalar_argument.h"

namespace plumbline {
namespace {

/// Parameters of the case, and those that came with a binary.
Params scope_of(const KernelCode& kernel, const Params& params) {
  Params scope = params;
  scope.insert(kernel.constants.begin(), kernel.constants.end());
  return scope;
}

Value value_of(const std::string& what, const std::string& text, const Params& scope) {
  try {
    return evaluate(text, scope);
  } catch (const Error& error) {
    throw Error(what + ": in the expression '" + text + "': " + error.what());
  }
}

std::int64_t size_of(const std::string& what, const std::string& text, const Params& scope,
                     std::int64_t least) {
  const Value value = value_of(what, text, scope);
  const auto* size = std::get_if<std::int64_t>(&value);
  if (size == nullptr || *size < least)
    throw Error(what + " is " + to_text(value) + "; it is an integer of at least " +
                std::to_string(least));
  return *size;
}

/// A switch; "" is off.
bool is_on(const std::string& what, const std::string& text, const Params& scope) {
  if (text.empty()) return false;
  const Value value = value_of(what, text, scope);
  if (const auto* const flag = std::get_if<bool>(&value)) return *flag;
  const auto* const number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || (*number != 0 && *number != 1))
    throw Error(what + " is " + to_text(value) + "; it is 0 or 1");
  return *number == 1;
}

/// Makes a relative include folder absolute, starting at the source's folder.
std::string from_source(const std::string& option, const std::string& folder) {
  for (const std::string flag : {"-I", "--include-path="})
    if (option.starts_with(flag) && !option.starts_with(flag + '/'))
      return flag + folder + '/' + option.substr(flag.size());
  return option;
}

/// A value in C++: `true`, `12`, `2.0`, the type that a dtype names, else the text itself.
std::string cpp_text(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) {
    const std::string text = to_text(value);
    return *real == std::trunc(*real) && text.find_first_of("e.") == std::string::npos ? text + ".0"
                                                                                       : text;
  }
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return to_text(value);
  const auto dtype = dtype_named(*text);
  return dtype ? std::string(cpp_type(*dtype)) : *text;
}

}  // namespace

std::string_view cpp_type(DType dtype) {
  constexpr std::array<std::string_view, kDTypes.size()> kTypes{
      "double", "float",       "__half",        "__nv_bfloat16", "long long",     "int",
      "short",  "signed char", "unsigned char", "bool",          "__nv_fp8_e4m3", "__nv_fp8_e5m2"};
  return kTypes[static_cast<std::size_t>(dtype)];
}

nvrtc::Job compile_job(const KernelCode& kernel, const Params& params, const std::string& text,
                       const std::string& architecture,
                       const std::vector<std::string>& toolkit_folders) {
  const Params scope = scope_of(kernel, params);
  nvrtc::Job job{kernel.source, text, {"-arch=" + architecture, "-lineinfo"}, kernel.entry};
  for (const std::string& folder : toolkit_folders) job.options.push_back("-I" + folder);
  for (const auto& [name, expression] : kernel.defines)
    job.options.push_back("-D" + name + "=" +
                          cpp_text(value_of("defines." + name, expression, scope)));
  const std::string folder = folder_of(kernel.source);
  for (const std::string& option : kernel.options)
    job.options.push_back(from_source(option, folder));
  std::string arguments;
  for (const std::string& expression : kernel.template_args)
    arguments += (arguments.empty() ? "" : ", ") +
                 cpp_text(value_of("an item of 'template'", expression, scope));
  if (!arguments.empty()) job.kernel += "<" + arguments + ">";
  return job;
}

LaunchShape launch_shape(const KernelCode& kernel, const Params& params) {
  const Params scope = scope_of(kernel, params);
  LaunchShape shape;
  for (std::size_t i = 0; i < kernel.grid.size(); ++i)
    shape.grid.at(i) = size_of("'grid'", kernel.grid[i], scope, 1);
  for (std::size_t i = 0; i < kernel.block.size(); ++i)
    shape.block.at(i) = size_of("'block'", kernel.block[i], scope, 1);
  for (std::size_t i = 0; i < kernel.cluster.size(); ++i)
    shape.cluster.at(i) = size_of("'cluster'", kernel.cluster[i], scope, 1);
  if (!kernel.shared.empty()) shape.shared_bytes = size_of("'shared'", kernel.shared, scope, 0);
  shape.is_cooperative = is_on("'cooperative'", kernel.cooperative, scope);
  shape.is_dependent = is_on("'dependent'", kernel.dependent, scope);
  return shape;
}

std::array<unsigned char, 8> scalar_bytes(const Argument& argument, const Params& params) {
  const std::string what = "args." + argument.name;
  const ScalarType& type = scalar_type_of(argument, params);
  const Value value = value_of(what, argument.expression, params);
  const auto bytes = scalar_bytes(type, value);
  if (!bytes) throw Error(what + ' ' + scalar_mistake(type, value));
  return *bytes;
}

}  // namespace plumbline
