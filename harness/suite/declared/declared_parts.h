/// The parts of a declaration that only some kinds of ops have, read and checked.
///
/// declaration.h puts them together.
#pragma once

#include <string>
#include <vector>

#include "core/op/declaration.h"
#include "suite/schema/keys.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// What messages add where a name is unknown: it may have been meant as a text.
inline constexpr const char* kQuoteHint = "; a text has quotes of its own: \"'tanh'\"";

/// Letters, digits and '_', no digit first.
bool is_word(std::string_view text);

/// An expression at the key `key` of `map`, parsed and its names checked; "" where the key is
/// missing.
std::string read_expression(const YamlNode& map, std::string_view key,
                            const std::vector<std::string>& names, const std::string& hint);

std::string read_expression(const YamlEntry& entry, const std::vector<std::string>& names,
                            const std::string& hint);

/// One of `args:`. `names` are those that its expressions may use, `params` those that hold a
/// dtype.
Argument read_argument(const YamlEntry& entry, OpKind kind, const std::vector<std::string>& names,
                       const std::vector<std::string>& params);

/// The file that the key names, relative to the suite's folder. Fails where there is none.
std::string read_file_path(const YamlNode& benchmark, std::string_view key);

/// The graph of `op: cudnn.graph` as JSON: a file beside the suite, or what stands there. Fails
/// with the place for operations and tensors that do not fit together.
std::string read_graph(const YamlNode& benchmark);

KernelCode read_kernel(const YamlNode& benchmark, const std::vector<std::string>& params);
PluginCode read_plugin(const YamlNode& benchmark, const std::vector<std::string>& params);
PythonCode read_python(const YamlNode& benchmark);

}  // namespace plumbline
