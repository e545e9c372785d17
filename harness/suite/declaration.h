/// What a suite declares of an operator of the dispatcher: args, reference, cost, tolerance.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/case.h"
#include "suite/yaml.h"

namespace plumbline {

/// `namespace::name` or `namespace::name.overload`, by its sign.
inline bool is_dispatcher_op(std::string_view op) {
  return op.find("::") != std::string_view::npos;
}

/// Fails unless `op` is well formed and, where `schemas` are known, one of them.
void check_dispatcher_op(const YamlNode& op, const std::set<std::string>& schemas);

/// Parses every expression and checks its names; `params` are all parameters of the cases.
Declaration read_declaration(const YamlNode& benchmark, const std::string& op,
                             const std::vector<std::string>& params);

/// Fails where a cost has no value for these parameters.
void check_cost(const YamlNode& benchmark, const Declaration& declaration, const Params& params);

/// Hash of everything that makes the problem.
std::string revision_of(const std::string& op, const Declaration& declaration);

}  // namespace plumbline
