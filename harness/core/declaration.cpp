#include "core/declaration.h"

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
  return *scalar_type_named(info(dtype_of_output(argument, params)).name);  // each dtype has one
}

bool is_source(const KernelCode& kernel) {
  return !kernel.source.ends_with(".ptx") && !kernel.source.ends_with(".cubin");
}

}  // namespace plumbline
