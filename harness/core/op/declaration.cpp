#include "core/op/declaration.h"

#include <algorithm>

#include "core/error.h"

namespace plumbline {

static_assert(std::ranges::all_of(kDTypes, [](const DTypeInfo& row) {
  return scalar_type_named(row.name) != nullptr;
}));

DType dtype_of_output(const Argument& argument, const Params& params) {
  if (const auto named = dtype_named(argument.type)) return *named;
  const auto found = params.find(argument.type.empty() ? "dtype" : argument.type);
  const std::string text = found == params.end() ? argument.type : to_text(found->second);
  if (const auto named = dtype_named(text)) return *named;
  throw Error("args." + argument.name + ": '" + text + "' is no dtype");
}

const ScalarType& scalar_type_of(const Argument& argument, const Params& params) {
  if (const ScalarType* const named = scalar_type_named(argument.type)) return *named;
  return *scalar_type_named(info(dtype_of_output(argument, params)).name);  // every dtype has a row
}

namespace {

/// Adds the text with its length, so that different pairs of texts never give the same result.
void add(std::string& text, std::string_view part) {
  text += std::to_string(part.size()) + ':';
  text += part;
}

void add(std::string& text, const std::vector<std::string>& parts) {
  text += '[';
  for (const std::string& part : parts) add(text, part);
  text += ']';
}

void add(std::string& text, const NamedExpressions& pairs) {
  text += '{';
  for (const auto& [name, expression] : pairs) {
    add(text, name);
    add(text, expression);
  }
  text += '}';
}

}  // namespace

std::string implementation_text(const Declaration& declaration) {
  std::string text;
  if (const auto& kernel = declaration.kernel) {
    add(text, kernel->entry);
    for (const auto* list :
         {&kernel->template_args, &kernel->options, &kernel->grid, &kernel->block})
      add(text, *list);
    add(text, kernel->defines);
    add(text, kernel->shared);
    for (const auto& [name, value] :
         {std::pair{"cooperative", &kernel->cooperative}, {"dependent", &kernel->dependent}})
      if (!value->empty()) add(text, std::string(name) + '=' + *value);
    if (!kernel->cluster.empty()) add(text, kernel->cluster);
    for (const auto& [name, value] : kernel->constants) add(text, name + '=' + to_text(value));
  } else if (const auto& plugin = declaration.plugin) {
    add(text, plugin->function);
    add(text, plugin->params);
  } else if (const auto& python = declaration.python) {
    add(text, python->function);
    if (python->module) add(text, python->module->loss);
    if (python->module && !python->module->accuracy.empty()) add(text, python->module->accuracy);
  } else if (!declaration.network) {
    return "";
  }
  for (const Argument& argument : declaration.args)
    for (const std::string_view part :
         {std::string_view(argument.name), name_of(argument.role),
          std::string_view(argument.expression), std::string_view(argument.type)})
      add(text, part);
  return text;
}

bool is_source(const KernelCode& kernel) {
  return !kernel.source.ends_with(".ptx") && !kernel.source.ends_with(".cubin");
}

}  // namespace plumbline
