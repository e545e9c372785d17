/// Reads typed values from YAML nodes. Each function returns the value or throws Error with the
/// place, what was found and what is allowed.
///
/// Knows no suites, ops or cases.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression/expression.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// A key that a map may have. Tables of keys serve the reader and the JSON Schema.
struct YamlKey {
  std::string_view name;
  std::string_view doc;
  unsigned owners = ~0u;  // bits: kinds that may have the key; default: all
};

/// "the integer 12", "the text 'x'", "a list", "nothing".
std::string in_words(const YamlNode& node);

/// "a, b, c".
std::string joined(const std::vector<std::string>& names);

/// "; did you mean 'x'?" if a known name is near, else "; allowed: …" (at most 24 names) and the
/// hint.
std::string allowed_names(std::string_view word, const std::vector<std::string>& known,
                          const std::string& hint = "");

/// Throws Error unless `node` is a map with only keys from `keys`. `what` names the map.
void check_keys(const YamlNode& node, std::span<const YamlKey> keys, const std::string& what);

/// Throws Error "found …, `what` is `allowed`".
[[noreturn]] void fail_on_kind(const YamlNode& node, const std::string& what,
                               const std::string& allowed);

/// The entry with that key, or nullptr.
const YamlEntry* find_entry(const YamlNode& map, std::string_view key);

/// The value of that key. Throws Error at the map: "`what` lacks 'key'" and the hint.
const YamlPtr& required(const YamlNode& map, std::string_view key, const std::string& what,
                        const std::string& hint);

std::string read_text(const YamlNode& node, const std::string& what);

/// A name for ids and flags: letters, digits, '-', '_', '.'.
std::string read_name(const YamlNode& node, const std::string& what);

/// A finite number.
double read_number(const YamlNode& node, const std::string& what);

/// The items of a list, or the node itself as the only item. Throws Error for an empty list.
std::vector<YamlPtr> read_items(const YamlPtr& node, const std::string& what);

/// An expression as text: a scalar as written, a YAML list as `[a, b]`, null as `none`.
std::string read_expression_text(const YamlNode& node, const std::string& what);

/// Parses the expression at `node`; errors point into the file.
ExpressionPtr parse_expression_at(const YamlNode& node, const std::string& text);

/// Rethrows an Error of core/expression/expression.h ("column N: …") with the place in the file.
[[noreturn]] void fail_in_expression(const YamlPlace& at, const std::string& text,
                                     const std::string& error);

/// Throws Error at the first name of the expression that is not in `known`.
void check_names(const Expression& expression, const YamlPlace& at, const std::string& text,
                 const std::vector<std::string>& known, const std::string& hint);

/// The number before the `%` in a text: 2 for `2%` and `2 %`; nothing if it is not a percentage.
std::optional<double> number_of_percent(const YamlNode& node);

/// A finite number with an optional byte unit: KiB MiB GiB TiB, KB MB GB TB, B. Nothing if the text
/// is not such a number. "40 GiB" is 42949672960.
std::optional<Value> number_with_unit(std::string_view text);

}  // namespace plumbline
