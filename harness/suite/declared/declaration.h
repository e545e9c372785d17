/// Reads what a suite declares for an op without a folder: an operator of the dispatcher, a kernel,
/// a plug-in, a Python function.
///
/// Every expression is parsed and its names are checked here. So these mistakes are reported at
/// their place in the file and not by a worker. declared_values.h checks the values.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "suite/schema/keys.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// kernel, plugin, python, module and cudnn.graph are identified by name, operators
/// (`namespace::name[.overload]`) by the `::`; others are ops of the catalogue.
OpKind kind_of_op(std::string_view op);

/// Throws Error at the first key that an op of this kind does not take.
void check_owned_keys(const YamlNode& benchmark, const std::string& op, OpKind kind);

/// `op`: as written in the benchmark; `params`: all parameters of its cases. Files are relative to
/// the suite's folder.
Declaration read_declaration(const YamlNode& benchmark, const std::string& op,
                             const std::vector<std::string>& params);

/// Hash of everything that defines the problem, without its implementation.
std::string revision_of(const std::string& op, const Declaration& declaration);

}  // namespace plumbline
