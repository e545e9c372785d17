#include "import/import_mapping_file.h"

#include <algorithm>

#include "core/error.h"
#include "core/run/direction.h"
#include "core/value.h"
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
  if (const YamlEntry* replaces = find_entry(*entry.value, "replaces"))
    metric.replaces = scalar_text(*replaces->value, "'replaces'");
  if (const YamlEntry* absent = find_entry(*entry.value, "absent"))
    metric.absent = scalar_text(*absent->value, "'absent'");
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
  if (const YamlEntry* other = find_entry(*entry.value, "else"))
    table.other = scalar_text(*other->value, "'else'");
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

RowPath read_rows(const YamlNode& node) {
  RowPath rows{{}, place_text(node.at)};
  const std::string text = scalar_text(node, "'rows'");
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    const std::string step = text.substr(begin, end - begin);
    if (step.empty() || step == "$")
      fail_at(node.at, "found '" + text + "'; 'rows' is a path such as results.* or $problem.*");
    if (step == "*")
      rows.steps.push_back({RowStep::Kind::each, ""});
    else if (step.front() == '$')
      rows.steps.push_back({RowStep::Kind::named, step.substr(1)});
    else
      rows.steps.push_back({RowStep::Kind::member, step});
    begin = end + 1;
  }
  return rows;
}

std::vector<NamedColumn> read_columns(const YamlNode& node) {
  std::vector<NamedColumn> columns;
  for (const YamlEntry& entry : entries_of(node, "'columns'")) {
    std::size_t number = 0;
    if (!parse_integer(scalar_text(*entry.value, "a column's number"), number) || number == 0)
      fail_at(entry.value->at, "found '" + entry.value->text + "'; expected a number from 1");
    columns.push_back({entry.key, number, place_text(entry.value->at)});
  }
  return columns;
}

/// Every pattern has the same one name.
void read_melt(const YamlNode& node, ImportMapping& mapping) {
  for (const YamlEntry& entry : entries_of(node, "'melt'")) {
    const MappedText pattern = read_pattern(*entry.value, "'" + entry.key + "'");
    const std::vector<std::string> names = names_in_pattern(pattern.pattern);
    const bool is_first = mapping.melt.empty();
    if (names.size() != 1 ||
        (!is_first && names != names_in_pattern(mapping.melt.front().second.pattern)))
      fail_at(entry.value->at, "found '" + pattern.pattern +
                                   "'; a pattern of 'melt' has one $name, the same in all of them");
    mapping.melt.emplace_back(entry.key, pattern);
  }
}

MappedText read_axes(const YamlNode& node) {
  const MappedText axes{scalar_text(node, "'axes'"), place_text(node.at)};
  const std::size_t star = axes.pattern.find('*');
  if (star == std::string::npos || star + 1 != axes.pattern.size() ||
      (star > 0 && axes.pattern[star - 1] != '.'))
    fail_at(node.at, "found '" + axes.pattern + "'; 'axes' is * or a path that ends in .*");
  return axes;
}

/// Keys that say how the file is laid out.
void read_layout(const YamlNode& root, ImportMapping& mapping) {
  if (const YamlEntry* rows = find_entry(root, "rows")) mapping.rows = read_rows(*rows->value);
  if (const YamlEntry* columns = find_entry(root, "columns"))
    mapping.columns = read_columns(*columns->value);
  if (const YamlEntry* melt = find_entry(root, "melt")) read_melt(*melt->value, mapping);
  if (const YamlEntry* axes = find_entry(root, "axes")) mapping.axes = read_axes(*axes->value);
  if (const YamlEntry* delimiter = find_entry(root, "delimiter")) {
    const std::string text = scalar_text(*delimiter->value, "'delimiter'");
    if (text.size() != 1 || text == "\"" || text == "\n" || text == "\r")
      fail_at(delimiter->value->at, "found '" + text + "'; 'delimiter' is one character");
    mapping.delimiter = text.front();
  }
}

void read_lists(const YamlNode& root, ImportMapping& mapping) {
  for (const YamlEntry& entry : entries_of(required(root, "metrics", "a mapping"), "'metrics'"))
    mapping.metrics.push_back(read_metric(entry));
  for (const MappedMetric& metric : mapping.metrics)
    if (!metric.replaces.empty() &&
        (metric.replaces == metric.name ||
         std::ranges::find(mapping.metrics, metric.replaces, &MappedMetric::name) ==
             mapping.metrics.end()))
      throw Error(metric.at + ": metric '" + metric.name + "' replaces '" + metric.replaces +
                  "', which is no other metric of the mapping");
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

ImportMapping mapping_from(const YamlPtr& root, const std::string& path) {
  check_keys(*root, kMappingKeys, "a mapping");
  ImportMapping mapping;
  mapping.path = path;
  for (const auto& [key, member] : {std::pair{"suite", &ImportMapping::suite},
                                    {"op", &ImportMapping::op},
                                    {"backend", &ImportMapping::backend}})
    mapping.*member = read_pattern(required(*root, key, "a mapping"), std::string("'") + key + "'");
  for (const auto& [key, member] : {std::pair{"device", &ImportMapping::device},
                                    {"revision", &ImportMapping::revision},
                                    {"status", &ImportMapping::status},
                                    {"reason", &ImportMapping::reason},
                                    {"batch", &ImportMapping::batch}})
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
  read_layout(*root, mapping);
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

/// The assignments as a mapping file.
YamlFile file_of(const std::vector<std::string>& assignments) {
  Branch root;
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals + 1 == assignment.size())
      throw Error("--map " + assignment +
                  ": found no value; expected a mapping file, or key=value");
    put(root, std::string_view(assignment).substr(0, equals), assignment.substr(equals + 1),
        assignment);
  }
  return {"--map", yaml_of(root), false};
}

/// The tree with the entries of `over` added, or in place of its own.
YamlPtr overlaid(const YamlNode& under, const YamlNode& over) {
  auto tree = std::make_shared<YamlNode>(under);
  for (const YamlEntry& entry : over.entries) {
    const auto known = std::ranges::find(tree->entries, entry.key, &YamlEntry::key);
    if (known == tree->entries.end())
      tree->entries.push_back(entry);
    else if (known->value->kind == YamlNode::Kind::map && entry.value->kind == YamlNode::Kind::map)
      known->value = overlaid(*known->value, *entry.value);
    else
      *known = entry;
  }
  return tree;
}

}  // namespace

ImportMapping read_import_mapping(const std::string& path,
                                  const std::vector<std::string>& assignments) {
  const YamlFile file = read_yaml_file(path), more = file_of(assignments);
  const YamlPtr root = parse_yaml(file);
  if (assignments.empty() || root->kind != YamlNode::Kind::map) return mapping_from(root, path);
  return mapping_from(overlaid(*root, *parse_yaml(more)), path);
}

ImportMapping import_mapping_of(const std::vector<std::string>& assignments) {
  const YamlFile file = file_of(assignments);
  return mapping_from(parse_yaml(file), file.path);
}

}  // namespace plumbline
