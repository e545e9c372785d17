/// What a suite declares of an op that no folder has: an operator of the dispatcher, a kernel, a
/// plug-in, a function in Python.
///
/// Every expression is parsed and its names are checked, so that a worker meets no mistake that
/// could have been told at its place in the file; declared_values.h has what they come to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "suite/schema/keys.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// kernel, plugin, python and cudnn.graph by name, `namespace::name[.overload]` by its sign, else
/// of the catalogue.
OpKind kind_of_op(std::string_view op);

/// Fails at the first key that an op of this kind does not take.
void check_owned_keys(const YamlNode& benchmark, const std::string& op, OpKind kind);

/// `op` is what the benchmark says, `params` are all parameters of its cases. Files are found
/// relative to the suite's folder.
Declaration read_declaration(const YamlNode& benchmark, const std::string& op,
                             const std::vector<std::string>& params);

/// Hash of everything that makes the problem: not of what computes it.
std::string revision_of(const std::string& op, const Declaration& declaration);

}  // namespace plumbline
