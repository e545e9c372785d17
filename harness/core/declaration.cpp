#include "core/declaration.h"

#include "core/error.h"

namespace plumbline {

DType dtype_of_output(const Argument& argument, const Params& params) {
  if (const auto named = dtype_named(argument.type)) return *named;
  const auto found = params.find(argument.type.empty() ? "dtype" : argument.type);
  const std::string text = found == params.end() ? argument.type : to_text(found->second);
  if (const auto named = dtype_named(text)) return *named;
  throw Error("args." + argument.name + ": '" + text + "' is no dtype");
}

bool is_source(const KernelCode& kernel) {
  return !kernel.source.ends_with(".ptx") && !kernel.source.ends_with(".cubin");
}

}  // namespace plumbline
