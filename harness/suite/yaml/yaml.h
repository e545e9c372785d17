/// A YAML file as a tree; every node knows its place in the text.
///
/// YAML 1.2 core schema, built on libyaml's events: `no` and `on` are texts, duplicate keys are
/// errors. Knows no suites. Anchors are shared, not copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace plumbline {

struct FileLimits;

/// A text and its name in messages.
struct YamlFile {
  std::string path;
  std::string text;
  bool has_lines = true;  // false: from the command line, where line and column are not useful
  /// Of the files that it names (suite/yaml/file_limits.h); null: all files of this machine.
  std::shared_ptr<const FileLimits> limits = nullptr;
};

/// A place in a file. Line and column (in characters) from 1; line 0 = the whole file. The file
/// must outlive it.
struct YamlPlace {
  const YamlFile* file = nullptr;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct YamlNode;
using YamlPtr = std::shared_ptr<const YamlNode>;

struct YamlEntry {
  std::string key;
  YamlPlace at;  // of the key
  YamlPtr value;
};

struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  YamlPlace at;
  Value value;                     // scalar
  std::string text;                // scalar: as written, without quotes
  std::vector<YamlPtr> items;      // list
  std::vector<YamlEntry> entries;  // map, in the order of the file
  std::size_t size = 1;            // number of nodes in the tree below; aliases count each time
};

/// Number of characters in a UTF-8 text.
std::size_t characters(std::string_view text);

/// The text from a place to the end of its line.
std::string_view rest_of_line(const YamlPlace& place);

/// Throws Error `path:line:column: message`.
[[noreturn]] void fail_at(const YamlPlace& place, const std::string& message);

/// Reads a text file. Throws Error for a missing file, a folder, an empty or binary file.
YamlFile read_yaml_file(const std::string& path);

/// Parses a file with one document. Throws Error with the place for bad YAML, duplicate keys, merge
/// keys, tags, nesting deeper than 32, and aliases that expand the document beyond 4 million nodes.
YamlPtr parse_yaml(const YamlFile& file);

/// A plain scalar by the YAML 1.2 core schema: boolean, integer, number or text; nothing for null.
/// Throws Error (without a place) for an integer beyond 64 bits.
std::optional<Value> core_schema_value(std::string_view text);

}  // namespace plumbline
