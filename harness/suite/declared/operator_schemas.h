/// The operators of LibTorch's dispatcher, as listed by the worker, and checks of a suite against
/// them.
///
/// Knows names, arguments without defaults and shapes; the worker checks other types.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "suite/yaml/yaml.h"

namespace plumbline {

struct SchemaArgument {
  std::string name, type;  // type: `Tensor(a!)`, `SymInt[]`
  bool has_default = false;
};

/// `ns::name[.overload]` -> its arguments, in the order of the schema.
using OperatorSchemas = std::map<std::string, std::vector<SchemaArgument>>;

/// Adds `ns::name.overload(Tensor self, int[2] dim=[0, 1], *, …) -> …`, as the worker prints it.
/// Ignores a text without parentheses.
void add_schema(std::string_view text, OperatorSchemas& schemas);

/// Throws Error unless `op` is well formed and, if `schemas` is not empty, one of them.
void check_dispatcher_op(const YamlNode& op, const OperatorSchemas& schemas);

/// Throws Error at the first key of `args` that is not an argument of `op`, or of any of its
/// overloads if `op` names none. Throws at `args` if no overload takes exactly these arguments.
/// Passes if `op` is not in the schemas.
void check_arguments(const YamlNode& args, const std::string& op, const OperatorSchemas& schemas);

/// Throws Error at the first invalid operator call in the expression `text` at `node`: an unknown
/// operator, an unknown argument, or a missing argument without a default. Passes if `schemas` is
/// empty.
void check_calls(const YamlNode& node, const std::string& text, const OperatorSchemas& schemas);

/// Whether the argument `name` of `op` is the shape of a newly created tensor, so that its sizes
/// cannot be negative: `aten::zeros(size)`, but not `aten::view(self, size)`.
bool is_new_shape(const std::string& op, const std::string& name, const OperatorSchemas& schemas);
/// The same for the argument at a position, from 0.
bool is_new_shape(const std::string& op, std::size_t position, const OperatorSchemas& schemas);

}  // namespace plumbline
