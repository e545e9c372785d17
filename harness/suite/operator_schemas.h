/// The operators of LibTorch's dispatcher as the worker lists them, and what a suite may say of
/// them.
///
/// Knows their names and those of their arguments, no types.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "suite/yaml.h"

namespace plumbline {

/// `ns::name[.overload]` -> names of the arguments, in the order of the schema.
using OperatorSchemas = std::map<std::string, std::vector<std::string>>;

/// Adds `ns::name.overload(Tensor self, int[2] dim=[0, 1], *, …) -> …`, as the worker prints it. A
/// text without arguments in parentheses is passed over.
void add_schema(std::string_view text, OperatorSchemas& schemas);

/// Fails unless `op` is well formed and, where `schemas` are known, one of them.
void check_dispatcher_op(const YamlNode& op, const OperatorSchemas& schemas);

/// Fails at the first key of `args` that is no argument of `op`: of none of its overloads, where
/// `op` names none. Passes where `op` is not among the schemas.
void check_argument_names(const YamlNode& args, const std::string& op,
                          const OperatorSchemas& schemas);

/// Fails at the first operator that the expression `text`, which stands at `node`, calls and that
/// the dispatcher has not, or has without an argument of a name that is given. Passes where no
/// schemas are known.
void check_calls(const YamlNode& node, const std::string& text, const OperatorSchemas& schemas);

}  // namespace plumbline
