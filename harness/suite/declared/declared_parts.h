/// Reads and checks the parts of a declaration that only some kinds of ops have.
///
/// declaration.h combines them.
#pragma once

#include <string>
#include <vector>

#include "core/op/declaration.h"
#include "suite/schema/keys.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// Added to messages about an unknown name, which may be a text without quotes.
inline constexpr const char* kQuoteHint = "; a text has quotes of its own: \"'tanh'\"";

/// Letters, digits and '_', not starting with a digit.
bool is_word(std::string_view text);

/// The expression at `key` of `map`, parsed and its names checked; "" if the key is missing.
std::string read_expression(const YamlNode& map, std::string_view key,
                            const std::vector<std::string>& names, const std::string& hint);

std::string read_expression(const YamlEntry& entry, const std::vector<std::string>& names,
                            const std::string& hint);

/// One of `args:`. `names`: names that its expressions may use; `params`: parameters that may hold
/// a dtype.
Argument read_argument(const YamlEntry& entry, OpKind kind, const std::vector<std::string>& names,
                       const std::vector<std::string>& params);

/// The file in `key`, relative to the suite's folder. Throws Error if there is no such file.
std::string read_file_path(const YamlNode& benchmark, std::string_view key);

/// The graph of `op: cudnn.graph` as JSON, from a file beside the suite or from the suite itself.
/// Throws Error with the place if operations and tensors do not match.
std::string read_graph(const YamlNode& benchmark);

KernelCode read_kernel(const YamlNode& benchmark, const std::vector<std::string>& params);
PluginCode read_plugin(const YamlNode& benchmark, const std::vector<std::string>& params);
PythonCode read_python(const YamlNode& benchmark);
/// Whether the source of `op: module` is a network in a file, and not a function that makes one.
bool is_saved_network(const YamlNode& benchmark);
NetworkFile read_saved_network(const YamlNode& benchmark);
PythonCode read_module(const YamlNode& benchmark, const std::vector<std::string>& params);

}  // namespace plumbline
