#include "suite/yaml/reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostNamesShown = 24;

std::vector<std::string> names_of(std::span<const YamlKey> keys) {
  std::vector<std::string> names;
  for (const YamlKey& key : keys) names.emplace_back(key.name);
  return names;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

const Expression* find_name(const Expression& expression, const std::string& name) {
  if (expression.kind == Expression::Kind::name && expression.name == name) return &expression;
  const bool has_callee =
      expression.kind == Expression::Kind::call || expression.kind == Expression::Kind::index;
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    const bool is_callee =
        has_callee && i == 0 && expression.operands[0]->kind == Expression::Kind::name;
    if (is_callee) continue;
    if (const Expression* found = find_name(*expression.operands[i], name)) return found;
  }
  for (const auto& [keyword, value] : expression.keywords)
    if (const Expression* found = find_name(*value, name)) return found;
  return nullptr;
}

/// The first part of a text for messages: a file that is not a suite may be one long text.
std::string beginning(const std::string& text) {
  constexpr std::size_t kLength = 60;
  if (text.size() <= kLength) return text;
  std::size_t end = kLength;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // inside UTF-8
  return text.substr(0, end) + "…";
}

}  // namespace

std::string in_words(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing (null)";
    case YamlNode::Kind::list:
      return node.items.empty() ? "an empty list" : "a list";
    case YamlNode::Kind::map:
      return node.entries.empty() ? "an empty map" : "a map";
    case YamlNode::Kind::scalar:
      break;
  }
  constexpr std::array<std::string_view, 4> kKinds{"the boolean ", "the integer ", "the number ",
                                                   "the text "};
  const std::string quote = node.value.index() == 3 ? "'" : "";
  return std::string(kKinds[node.value.index()]) + quote + beginning(node.text) + quote;
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

std::string allowed_names(std::string_view word, const std::vector<std::string>& known,
                          const std::string& hint) {
  const std::string near = nearest_name(word, known);
  if (!near.empty()) return "; did you mean '" + near + "'?";
  if (known.empty()) return "; there are none" + hint;
  if (known.size() <= kMostNamesShown) return "; allowed: " + joined(known) + hint;
  return "; allowed: " + joined({known.begin(), known.begin() + kMostNamesShown}) + ", … (" +
         std::to_string(known.size()) + " in all)" + hint;
}

void fail_on_kind(const YamlNode& node, const std::string& what, const std::string& allowed) {
  fail_at(node.at, "found " + in_words(node) + "; " + what + " is " + allowed);
}

void check_keys(const YamlNode& node, std::span<const YamlKey> keys, const std::string& what) {
  if (node.kind != YamlNode::Kind::map)
    fail_on_kind(node, what, "a map with the keys " + joined(names_of(keys)));
  for (const YamlEntry& entry : node.entries)
    if (std::ranges::find(keys, entry.key, &YamlKey::name) == keys.end())
      fail_at(entry.at, "unknown key '" + entry.key + "' in " + what +
                            allowed_names(entry.key, names_of(keys)));
}

const YamlEntry* find_entry(const YamlNode& map, std::string_view key) {
  const auto found = std::ranges::find(map.entries, key, &YamlEntry::key);
  return found == map.entries.end() ? nullptr : &*found;
}

const YamlPtr& required(const YamlNode& map, std::string_view key, const std::string& what,
                        const std::string& hint) {
  if (const YamlEntry* entry = find_entry(map, key)) return entry->value;
  fail_at(map.at, what + " lacks '" + std::string(key) + "'" + hint);
}

std::string read_text(const YamlNode& node, const std::string& what) {
  const bool is_scalar = node.kind == YamlNode::Kind::scalar;
  if (!is_scalar || node.value.index() != 3)
    fail_on_kind(node, what, is_scalar ? "a text: put it in quotes" : "a text");
  if (node.text.find_first_not_of(" \t\r\n") == std::string::npos)
    fail_at(node.at, "found an empty text; " + what + " needs one");
  return node.text;
}

std::string read_name(const YamlNode& node, const std::string& what) {
  const std::string name = read_text(node, what);
  if (!std::ranges::all_of(name, is_name_character))
    fail_at(node.at,
            "found '" + name + "'; " + what + " consists of letters, digits, '-', '_', '.'");
  return name;
}

double read_number(const YamlNode& node, const std::string& what) {
  double number = NAN;
  if (node.kind == YamlNode::Kind::scalar) {
    if (const auto* integer = std::get_if<std::int64_t>(&node.value)) number = double(*integer);
    if (const auto* real = std::get_if<double>(&node.value)) number = *real;
  }
  if (!std::isfinite(number)) fail_on_kind(node, what, "a finite number");
  return number;
}

std::vector<YamlPtr> read_items(const YamlPtr& node, const std::string& what) {
  if (node->kind == YamlNode::Kind::null)
    fail_at(node->at, "found nothing; " + what + " needs at least one value");
  if (node->kind != YamlNode::Kind::list) return {node};
  if (node->items.empty())
    fail_at(node->at, "found an empty list; " + what + " needs at least one value");
  return node->items;
}

std::string read_expression_text(const YamlNode& node, const std::string& what) {
  if (node.kind == YamlNode::Kind::null) return "none";
  if (node.kind == YamlNode::Kind::map) fail_on_kind(node, what, "an expression");
  if (node.kind == YamlNode::Kind::scalar) {
    if (const auto* flag = std::get_if<bool>(&node.value)) return *flag ? "true" : "false";
    return node.text;
  }
  std::vector<std::string> items;
  for (const YamlPtr& item : node.items) items.push_back(read_expression_text(*item, what));
  return "[" + joined(items) + "]";
}

ExpressionPtr parse_expression_at(const YamlNode& node, const std::string& text) {
  try {
    return parse_expression(text);
  } catch (const Error& error) {
    fail_in_expression(node.at, text, error.what());
  }
}

void fail_in_expression(const YamlPlace& at, const std::string& text, const std::string& error) {
  constexpr std::string_view kPrefix = "column ";
  const char* const end = error.data() + error.size();
  std::uint32_t column = 0;
  std::string message = error;
  if (error.starts_with(kPrefix)) {
    const auto rest = std::from_chars(error.data() + kPrefix.size(), end, column);
    if (rest.ec == std::errc()) message.assign(rest.ptr + 2, end);
  }
  message = "in the expression '" + excerpt(text, column == 0 ? 0 : column - 1) + "': " + message;
  if (column == 0 || at.line == 0) fail_at(at, message);
  // The column only applies to the file if the expression is written there unchanged.
  const std::string_view rest = rest_of_line(at);
  const auto before = std::uint32_t(characters(std::string_view(text).substr(0, column - 1)));
  for (std::uint32_t quote = 0; quote < 2; ++quote)
    if (rest.substr(std::min<std::size_t>(rest.size(), quote)).starts_with(text))
      fail_at({at.file, at.line, at.column + quote + before}, message);
  fail_at(at, message);
}

void check_names(const Expression& expression, const YamlPlace& at, const std::string& text,
                 const std::vector<std::string>& known, const std::string& hint) {
  for (const std::string& name : names_in(expression)) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const Expression* found = find_name(expression, name);
    fail_in_expression(at, text,
                       "column " + std::to_string(found ? found->column : 1) + ": unknown name '" +
                           name + "'" + allowed_names(name, known, hint));
  }
}

std::optional<double> number_of_percent(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar || !node.text.ends_with('%')) return std::nullopt;
  std::string_view digits(node.text.data(), node.text.size() - 1);
  digits = digits.substr(0, digits.find_last_not_of(' ') + 1);
  std::optional<Value> value;
  try {
    value = core_schema_value(digits);
  } catch (const Error&) {
    return std::nullopt;
  }
  if (!value) return std::nullopt;
  if (const auto* integer = std::get_if<std::int64_t>(&*value)) return double(*integer);
  const auto* real = std::get_if<double>(&*value);
  return real && std::isfinite(*real) ? std::optional(*real) : std::nullopt;
}

std::optional<Value> number_with_unit(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 9> kUnits{{{"KiB", 1024.0},
                                                                       {"MiB", 1048576.0},
                                                                       {"GiB", 1073741824.0},
                                                                       {"TiB", 1099511627776.0},
                                                                       {"KB", 1e3},
                                                                       {"MB", 1e6},
                                                                       {"GB", 1e9},
                                                                       {"TB", 1e12},
                                                                       {"B", 1.0}}};
  double scale = 1;
  bool has_unit = false;
  for (const auto& [unit, factor] : kUnits) {
    if (has_unit || !text.ends_with(unit)) continue;
    text.remove_suffix(unit.size());
    text = text.substr(0, text.find_last_not_of(' ') + 1);
    scale = factor;
    has_unit = true;
  }
  std::optional<Value> value;
  try {
    value = core_schema_value(text);
  } catch (const Error&) {
    return std::nullopt;
  }
  if (!value || value->index() == 0 || value->index() == 3) return std::nullopt;
  const auto* integer = std::get_if<std::int64_t>(&*value);
  if (integer && !has_unit) return value;
  const double number = (integer ? double(*integer) : std::get<double>(*value)) * scale;
  if (!std::isfinite(number)) return std::nullopt;
  const bool is_whole = number == std::trunc(number) && std::abs(number) < 9e15;
  return is_whole ? Value(std::int64_t(number)) : Value(number);
}

}  // namespace plumbline
