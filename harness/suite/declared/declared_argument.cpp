#include <algorithm>
#include <cctype>

#include "core/dtype.h"
#include "suite/declared/declared_parts.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

/// Whether it makes a tensor: a generator with a shape, an operator call, or a choice between
/// these.
bool is_tensor(const Expression& e) {
  if (e.kind == Expression::Kind::index) return true;
  return is_operator_call(e) || (e.kind == Expression::Kind::conditional &&
                                 is_tensor(*e.operands[1]) && is_tensor(*e.operands[2]));
}

void check_tensor(const YamlEntry& entry, const std::string& text, const std::string& what) {
  if (is_tensor(*parse_expression(text))) return;
  fail_on_kind(*entry.value, what,
               "a tensor, for example \"randn[rows, cols]\"; a number has a type: {int32: rows}");
}

std::vector<std::string> allowed_keys(OpKind kind) {
  std::vector<std::string> keys;
  for (const YamlKey& key : kArgumentKeys)
    if (kind == OpKind::kernel || key.name != kScalarKey) keys.emplace_back(key.name);
  if (kind == OpKind::kernel)
    for (const ScalarType& type : kScalarTypes) keys.emplace_back(type.name);
  return keys;
}

/// The one key that gives the argument's role.
const YamlEntry& role_entry(const YamlEntry& argument, OpKind kind) {
  const std::vector<std::string> keys = allowed_keys(kind);
  const YamlEntry* found = nullptr;
  for (const YamlEntry& entry : argument.value->entries) {
    if (std::ranges::find(keys, entry.key) == keys.end()) {
      const bool is_number = scalar_type_named(entry.key) || entry.key == kScalarKey;
      if (is_number && kind == OpKind::python)
        fail_at(entry.at, "found a number with a type as the argument '" + argument.key +
                              "' of a function in Python; write it as it is: " + argument.key +
                              ": \"rows\"");
      if (is_number)
        fail_at(entry.at, "found a number as the argument '" + argument.key +
                              "' of a plug-in, which takes tensors; numbers are its 'params'");
      fail_at(entry.at, "unknown key '" + entry.key + "' in the argument '" + argument.key + "'" +
                            allowed_names(entry.key, keys));
    }
    if (entry.key == "dtype") continue;
    if (found)
      fail_at(entry.at, "the argument '" + argument.key + "' is both '" + found->key + "' and '" +
                            entry.key + "'; it is one of them");
    found = &entry;
  }
  if (!found)
    fail_at(argument.value->at, "the argument '" + argument.key +
                                    "' does not say what it is; for example {output: [rows]}");
  return *found;
}

std::string read_dtype(const YamlEntry& argument, std::string_view role,
                       const std::vector<std::string>& params) {
  const YamlEntry* entry = find_entry(*argument.value, "dtype");
  if (!entry) return "";
  if (role != "output" && role != "scratch" && role != kScalarKey)
    fail_at(entry->at, "found 'dtype' beside the argument '" + argument.key +
                           "', whose type is known already; it is for output, scratch and scalar");
  const std::string name = read_text(*entry->value, "'dtype'");
  if (dtype_named(name) || std::ranges::find(params, name) != params.end()) return name;
  std::vector<std::string> known;
  for (const DTypeInfo& row : kDTypes) known.emplace_back(row.name);
  fail_at(entry->value->at, "unknown dtype '" + name + "'" +
                                allowed_names(name, known, ", or a parameter that holds one"));
}

}  // namespace

bool is_word(std::string_view text) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !text.empty() && std::ranges::all_of(text, is_part) &&
         !std::isdigit(static_cast<unsigned char>(text[0]));
}

std::string read_expression(const YamlNode& map, std::string_view key,
                            const std::vector<std::string>& names, const std::string& hint) {
  const YamlEntry* entry = find_entry(map, key);
  return entry ? read_expression(*entry, names, hint) : "";
}

std::string read_expression(const YamlEntry& entry, const std::vector<std::string>& names,
                            const std::string& hint) {
  const std::string text = read_expression_text(*entry.value, "'" + entry.key + "'");
  check_names(*parse_expression_at(*entry.value, text), entry.value->at, text, names, hint);
  return text;
}

Argument read_argument(const YamlEntry& entry, OpKind kind, const std::vector<std::string>& names,
                       const std::vector<std::string>& params) {
  if (!is_word(entry.key))
    fail_at(entry.at, "found '" + entry.key +
                          "' as an argument; it is a name of the schema: letters, "
                          "digits, '_'");
  const std::string what = "'" + entry.key + "'";
  if (kind == OpKind::dispatcher || entry.value->kind != YamlNode::Kind::map) {
    const Argument input{entry.key, read_expression(entry, names, kQuoteHint),
                         Argument::Role::input, ""};
    if (kind == OpKind::kernel || kind == OpKind::plugin)
      check_tensor(entry, input.expression, what);
    return input;
  }
  const YamlEntry& role = role_entry(entry, kind);
  Argument argument{entry.key, "", Argument::Role::scalar, role.key};
  if (const auto named = std::ranges::find(kRoleNames, role.key); named != kRoleNames.end())
    argument.role = static_cast<Argument::Role>(named - kRoleNames.begin());
  const bool is_scalar = argument.role == Argument::Role::scalar;
  const std::string dtype = read_dtype(entry, role.key, params);
  if (!is_scalar || role.key == kScalarKey) argument.type = dtype;
  argument.expression = read_expression(role, is_scalar ? params : names, kQuoteHint);
  if (is_scalar) return argument;
  if (argument.role == Argument::Role::inout)
    check_tensor(role, argument.expression, what);
  else if (parse_expression(argument.expression)->kind != Expression::Kind::list)
    fail_on_kind(*role.value, "'" + role.key + "'", "a shape: a list such as [rows, cols]");
  return argument;
}

}  // namespace plumbline
