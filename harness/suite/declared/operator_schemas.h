/// The operators of LibTorch's dispatcher as the worker lists them, and what a suite may say of
/// them.
///
/// Knows names, which arguments have no default and which are shapes; other types are the worker's.
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

/// `ns::name[.overload]` -> the arguments, in the order of the schema.
using OperatorSchemas = std::map<std::string, std::vector<SchemaArgument>>;

/// Adds `ns::name.overload(Tensor self, int[2] dim=[0, 1], *, …) -> …`, as the worker prints it. A
/// text without arguments in parentheses is passed over.
void add_schema(std::string_view text, OperatorSchemas& schemas);

/// Fails unless `op` is well formed and, where `schemas` are known, one of them.
void check_dispatcher_op(const YamlNode& op, const OperatorSchemas& schemas);

/// Fails at the first key of `args` that is no argument of `op`: of none of its overloads, where
/// `op` names none; and at `args` where no overload takes these, and no others. Passes where `op`
/// is not among the schemas.
void check_arguments(const YamlNode& args, const std::string& op, const OperatorSchemas& schemas);

/// Fails at the first operator that the expression `text`, which stands at `node`, calls and that
/// the dispatcher has not, or has without an argument that is given, or not without one that is
/// missing. Passes where no schemas are known.
void check_calls(const YamlNode& node, const std::string& text, const OperatorSchemas& schemas);

/// Whether the argument `name` of `op` is the shape of a tensor that the operator makes anew, so
/// that no size in it is negative: `aten::zeros(size)`, but not `aten::view(self, size)`.
bool is_new_shape(const std::string& op, const std::string& name, const OperatorSchemas& schemas);
/// The same of the argument at a position, from 0.
bool is_new_shape(const std::string& op, std::size_t position, const OperatorSchemas& schemas);

}  // namespace plumbline
