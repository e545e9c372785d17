#include "suite/graph/graph_values.h"

#include <algorithm>
#include <limits>

#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

using Kind = YamlNode::Kind;

bool is_integer(const YamlNode& node, std::int64_t least, std::int64_t most) {
  const auto* value = std::get_if<std::int64_t>(&node.value);
  return node.kind == Kind::scalar && value && *value >= least && *value <= most;
}

bool is_integer(const YamlNode& node,
                std::int64_t least = std::numeric_limits<std::int64_t>::min()) {
  return is_integer(node, least, std::numeric_limits<std::int64_t>::max());
}

/// A number, or its bits as hexadecimal digits.
bool is_number(const YamlNode& node) {
  if (node.kind != Kind::scalar) return false;
  const auto* text = std::get_if<std::string>(&node.value);
  return node.value.index() == 1 || node.value.index() == 2 ||
         (text && (text->size() == 8 || text->size() == 16) &&
          text->find_first_not_of("0123456789ABCDEFabcdef") == text->npos);
}

bool is_range(const YamlNode& node) {
  if (node.kind != Kind::list || node.items.size() != 2) return false;
  const YamlNode &first = *node.items[0], &end = *node.items[1];
  return is_integer(first, 0) && is_integer(end, 1) && first.value < end.value;
}

bool is_scalar(const YamlNode& node) {
  const YamlEntry *index = find_entry(node, "index"), *value = find_entry(node, "value");
  return index && value && is_integer(*index->value, 0, kGraphScalarTypes - 1) &&
         is_number(*value->value);
}

/// The node, or the item of the list, that is not such a value; nullptr if all are valid.
const YamlNode* misfit(const YamlNode& node, GraphValue value) {
  const auto unless = [&](bool fits) { return fits ? nullptr : &node; };
  const auto item_unless = [&](auto fits) {
    if (node.kind != Kind::list) return &node;
    const auto found = std::ranges::find_if(node.items, [&](const auto& i) { return !fits(*i); });
    return found == node.items.end() ? nullptr : found->get();
  };
  switch (value) {
    case GraphValue::flag:
      return unless(node.kind == Kind::scalar && std::holds_alternative<bool>(node.value));
    case GraphValue::integer:
      return unless(is_integer(node));
    case GraphValue::number:
      return unless(is_number(node));
    case GraphValue::text:
      return unless(node.kind == Kind::scalar && std::holds_alternative<std::string>(node.value));
    case GraphValue::sizes:
      return item_unless([](const YamlNode& item) { return is_integer(item, 0); });
    case GraphValue::extents:
      return item_unless([](const YamlNode& item) { return is_integer(item, 1); });
    case GraphValue::ranges:
      return item_unless(is_range);
    case GraphValue::nothing:
      return unless(node.kind == Kind::list && node.items.empty());
    case GraphValue::scalar:
      return unless(is_scalar(node));
    case GraphValue::off:
      return unless(node.value == Value(false));
  }
  return &node;
}

const char* words_of(GraphValue value) {
  switch (value) {
    case GraphValue::flag:
      return "true or false";
    case GraphValue::integer:
      return "an integer";
    case GraphValue::number:
      return "a number";
    case GraphValue::text:
      return "a text: put it in quotes";
    case GraphValue::sizes:
      return "a list of integers of at least 0";
    case GraphValue::extents:
      return "a list of integers of at least 1";
    case GraphValue::ranges:
      return "a list of [first, end] with 0 <= first < end";
    case GraphValue::nothing:
      return "an empty list: graphs of suites have none";
    case GraphValue::scalar:
      return "{index: 3, value: 1e-5}; index is 0 (int64), 1 (int32), 2 (half), 3 (float), "
             "4 (double) or 5 (bfloat16)";
    case GraphValue::off:
      return "false or not there: cudnn-frontend writes it and cannot read it again";
  }
  return "";
}

void check_value(const YamlEntry& entry, const GraphMember& member) {
  const YamlNode& node = *entry.value;
  if (const YamlNode* wrong = misfit(node, member.value))
    fail_on_kind(*wrong, "'" + entry.key + "'", words_of(member.value));
  if (member.allowed.empty() || std::ranges::count(member.allowed, node.text) > 0) return;
  fail_at(node.at, "'" + entry.key + "' is " + in_words(node) + ", which is " +
                       (entry.key.ends_with("data_type") ? "no data type" : "none of its values") +
                       allowed_names(node.text, member.allowed));
}

}  // namespace

void check_members(const YamlNode& node, const std::vector<GraphMember>& members,
                   const std::vector<std::string>& others, const std::string& what) {
  if (node.kind != Kind::map) fail_on_kind(node, what, "a map");
  std::vector<std::string> known = others;
  for (const GraphMember& member : members) known.push_back(member.name);
  for (const YamlEntry& entry : node.entries) {
    if (std::ranges::count(known, entry.key) == 0)
      fail_at(entry.at,
              "unknown member '" + entry.key + "' of " + what + allowed_names(entry.key, known));
    const auto member = std::ranges::find(members, entry.key, &GraphMember::name);
    if (member != members.end() && entry.value->kind != Kind::null) check_value(entry, *member);
  }
  for (const GraphMember& member : members) {
    const YamlEntry* entry = find_entry(node, member.name);
    if (member.is_required && (!entry || entry->value->kind == Kind::null))
      fail_at(node.at, what + " lacks '" + member.name + "'" +
                           (member.allowed.empty() ? "" : allowed_names("", member.allowed)));
  }
}

}  // namespace plumbline
