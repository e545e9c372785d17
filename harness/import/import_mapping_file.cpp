#include "import/import_mapping_file.h"

#include <algorithm>

#include "core/error.h"
#include "core/run/direction.h"
#include "import/import_mapping_keys.h"
#include "suite/yaml/reader.h"
#include "suite/yaml/yaml.h"

namespace plumbline {
namespace {

std::string place_text(const YamlPlace& at) {
  if (at.line == 0 || !at.file->has_lines) return at.file->path;
  return at.file->path + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

/// Any scalar as it is written: `1` and `true` are valid names here.
std::string scalar_text(const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::scalar)
    fail_on_kind(node, what, "a text, in which $column stands for a column's value");
  return node.text;
}

MappedText read_pattern(const YamlNode& node, const std::string& what) {
  MappedText text{scalar_text(node, what), place_text(node.at)};
  if (text.empty()) fail_at(node.at, "found an empty text; " + what + " needs one");
  try {
    names_in_pattern(text.pattern);
  } catch (const Error& error) {
    fail_at(node.at, error.what());
  }
  return text;
}

MappedExpression read_expression(const YamlNode& node, const std::string& what) {
  MappedExpression made;
  made.text = read_expression_text(node, what);
  made.at = place_text(node.at);
  made.expression = parse_expression_at(node, made.text);
  return made;
}

const YamlNode& required(const YamlNode& map, std::string_view key, const std::string& what) {
  const YamlEntry* const entry = find_entry(map, key);
  if (!entry) fail_at(map.at, what + " needs '" + std::string(key) + "'");
  return *entry->value;
}

const std::vector<YamlEntry>& entries_of(const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::map || node.entries.empty())
    fail_on_kind(node, what, "a map with at least one entry");
  return node.entries;
}

std::string read_direction(const YamlNode& node) {
  const std::string text = scalar_text(node, "'better'");
  if (!better_named(text)) fail_at(node.at, "found '" + text + "'; 'better' is more or less");
  return text;
}

MappedMetric read_metric(const YamlEntry& entry) {
  const std::string what = "metric '" + entry.key + "'";
  check_keys(*entry.value, kMappedMetricKeys, what);
  MappedMetric metric;
  metric.name = entry.key;
  const YamlNode& column = required(*entry.value, "column", what);
  metric.column = scalar_text(column, "'column'");
  metric.at = place_text(column.at);
  const YamlNode& unit = required(*entry.value, "unit", what);
  const std::string name = scalar_text(unit, "'unit'");
  const auto scaled = scaled_unit(name);
  if (!scaled) fail_at(unit.at, "found the unit '" + name + "'; allowed: " + known_units());
  metric.unit = scaled->base;
  metric.factor = scaled->factor;
  if (const YamlEntry* separator = find_entry(*entry.value, "separator"))
    metric.separator = scalar_text(*separator->value, "'separator'");
  if (const YamlEntry* better = find_entry(*entry.value, "better"))
    metric.better = read_direction(*better->value);
  return metric;
}

ValueTable read_table(const YamlEntry& entry) {
  const std::string what = "table '" + entry.key + "'";
  check_keys(*entry.value, kValueTableKeys, what);
  ValueTable table;
  const YamlNode& column = required(*entry.value, "of", what);
  table.column = scalar_text(column, "'of'");
  table.at = place_text(column.at);
  for (const YamlEntry& value : entries_of(required(*entry.value, "is", what), "'is'"))
    table.values[value.key] = scalar_text(*value.value, "a meaning in " + what);
  return table;
}

std::pair<const EnvironmentField*, MappedText> read_environment(const YamlEntry& entry) {
  std::vector<std::string> names;
  for (const EnvironmentField& field : environment_fields()) {
    if (field.name == entry.key) return {&field, read_pattern(*entry.value, "'" + entry.key + "'")};
    names.emplace_back(field.name);
  }
  fail_at(entry.at,
          "'" + entry.key + "' is no entry of the environment" + allowed_names(entry.key, names));
}

Repeats read_repeats(const YamlNode& node) {
  const std::string text = scalar_text(node, "'repeats'");
  const auto* const named = std::ranges::find(kRepeats, text, &RepeatsKey::name);
  if (named != std::end(kRepeats)) return named->value;
  std::string allowed;
  for (const RepeatsKey& key : kRepeats)
    allowed +=
        (allowed.empty() ? "" : " or ") + std::string(key.name) + " (" + std::string(key.doc) + ")";
  fail_at(node.at, "found '" + text + "'; 'repeats' is " + allowed);
}

void read_lists(const YamlNode& root, ImportMapping& mapping) {
  for (const YamlEntry& entry : entries_of(required(root, "metrics", "a mapping"), "'metrics'"))
    mapping.metrics.push_back(read_metric(entry));
  if (const YamlEntry* params = find_entry(root, "params"))
    for (const YamlEntry& entry : entries_of(*params->value, "'params'"))
      mapping.params.emplace_back(entry.key,
                                  read_pattern(*entry.value, "parameter '" + entry.key + "'"));
  if (const YamlEntry* tables = find_entry(root, "tables"))
    for (const YamlEntry& entry : entries_of(*tables->value, "'tables'"))
      mapping.tables.emplace(entry.key, read_table(entry));
  if (const YamlEntry* environment = find_entry(root, "environment"))
    for (const YamlEntry& entry : entries_of(*environment->value, "'environment'"))
      mapping.environment.push_back(read_environment(entry));
}

ImportMapping mapping_from(const YamlFile& file) {
  const YamlPtr root = parse_yaml(file);
  check_keys(*root, kMappingKeys, "a mapping");
  ImportMapping mapping;
  mapping.path = file.path;
  for (const auto& [key, member] : {std::pair{"suite", &ImportMapping::suite},
                                    {"op", &ImportMapping::op},
                                    {"backend", &ImportMapping::backend}})
    mapping.*member = read_pattern(required(*root, key, "a mapping"), std::string("'") + key + "'");
  for (const auto& [key, member] :
       {std::pair{"device", &ImportMapping::device}, {"revision", &ImportMapping::revision}})
    if (const YamlEntry* entry = find_entry(*root, key))
      mapping.*member = read_pattern(*entry->value, std::string("'") + key + "'");
  if (const YamlEntry* source = find_entry(*root, "source"))
    mapping.source = scalar_text(*source->value, "'source'");
  if (const YamlEntry* where = find_entry(*root, "where"))
    mapping.where = read_expression(*where->value, "'where'");
  if (const YamlEntry* cost = find_entry(*root, "cost")) {
    check_keys(*cost->value, kMappedCostKeys, "'cost'");
    if (const YamlEntry* flops = find_entry(*cost->value, "flops"))
      mapping.flops = read_expression(*flops->value, "'flops'");
    if (const YamlEntry* bytes = find_entry(*cost->value, "bytes"))
      mapping.bytes = read_expression(*bytes->value, "'bytes'");
  }
  if (const YamlEntry* repeats = find_entry(*root, "repeats"))
    mapping.repeats = read_repeats(*repeats->value);
  read_lists(*root, mapping);
  return mapping;
}

/// The assignments as a tree: a name with dots is a path through maps.
struct Branch {
  std::string name, text;
  std::vector<Branch> below;
};

void put(Branch& root, std::string_view name, const std::string& text, const std::string& whole) {
  Branch* branch = &root;
  while (true) {
    const std::size_t dot = name.find('.');
    const std::string key(name.substr(0, dot));
    auto found = std::ranges::find(branch->below, key, &Branch::name);
    const bool is_new = found == branch->below.end();
    const bool is_last = dot == std::string_view::npos;
    if (key.empty() || !branch->text.empty() || (is_last && !is_new))
      throw Error("--map " + whole + ": the name is empty, or was given a value already");
    if (is_new) found = branch->below.insert(found, {key, {}, {}});
    branch = &*found;
    if (is_last) break;
    name.remove_prefix(dot + 1);
  }
  branch->text = text;
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string yaml_of(const Branch& branch) {
  if (branch.below.empty()) return in_quotes(branch.text);
  std::string text = "{";
  for (const Branch& below : branch.below)
    text += (text.size() > 1 ? ", " : "") + in_quotes(below.name) + ": " + yaml_of(below);
  return text + "}";
}

}  // namespace

ImportMapping read_import_mapping(const std::string& path) {
  return mapping_from(read_yaml_file(path));
}

ImportMapping import_mapping_of(const std::vector<std::string>& assignments) {
  Branch root;
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals + 1 == assignment.size())
      throw Error("--map " + assignment +
                  ": found no value; expected a mapping file, or key=value");
    put(root, std::string_view(assignment).substr(0, equals), assignment.substr(equals + 1),
        assignment);
  }
  const YamlFile file{"--map", yaml_of(root), false};
  return mapping_from(file);
}

}  // namespace plumbline
