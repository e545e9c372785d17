#include "suite/operator_schemas.h"

#include <algorithm>
#include <ranges>

#include "core/expression.h"
#include "suite/declared_parts.h"
#include "suite/reader.h"

namespace plumbline {
namespace {

bool is_schema_name(std::string_view op) {
  const auto colons = op.find("::");
  const std::string_view name = op.substr(colons + 2);
  const auto dot = name.find('.');
  return is_word(op.substr(0, colons)) && is_word(name.substr(0, dot)) &&
         (dot == std::string_view::npos || is_word(name.substr(dot + 1)));
}

/// The name of an argument: the last word before its default. "*" stands between arguments.
std::string name_of_argument(std::string_view argument) {
  argument = argument.substr(0, argument.find('='));
  const auto begin = argument.find_last_of(' ');
  const std::string_view name = begin == argument.npos ? argument : argument.substr(begin + 1);
  return is_word(name) ? std::string(name) : "";
}

/// The schemas of `name` that have an overload.
auto overloads_of(const std::string& name, const OperatorSchemas& schemas) {
  // '/' is the character behind '.'.
  return std::ranges::subrange(schemas.lower_bound(name + "."), schemas.lower_bound(name + "/"));
}

}  // namespace

void add_schema(std::string_view text, OperatorSchemas& schemas) {
  const auto open = text.find('(');
  if (open == text.npos) return;
  std::vector<std::string>& arguments = schemas[std::string(text.substr(0, open))];
  int depth = 0;
  char quote = 0;
  std::size_t begin = open + 1;
  for (std::size_t i = begin; i < text.size() && depth >= 0; ++i) {
    const char c = text[i];
    if (quote != 0 || c == '"' || c == '\'') {
      quote = quote == 0 ? c : quote == c ? 0 : quote;
      continue;
    }
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (depth > 0 || (depth == 0 && c != ',')) continue;
    const std::string name = name_of_argument(text.substr(begin, i - begin));
    if (!name.empty()) arguments.push_back(name);
    begin = i + 1;
  }
}

void check_dispatcher_op(const YamlNode& op, const OperatorSchemas& schemas) {
  if (!is_schema_name(op.text))
    fail_at(op.at, "found the op '" + op.text +
                       "'; an operator of the dispatcher is namespace::name or "
                       "namespace::name.overload, for example aten::add.Tensor");
  if (schemas.empty() || schemas.contains(op.text)) return;
  std::vector<std::string> overloads, names;
  for (const auto& [name, arguments] : overloads_of(op.text, schemas)) overloads.push_back(name);
  if (!overloads.empty())
    fail_at(op.at,
            "the operator '" + op.text + "' has overloads only; allowed: " + joined(overloads));
  for (const auto& [name, arguments] : schemas) names.push_back(name);
  const std::string near = nearest_name(op.text, names);
  fail_at(op.at, "the dispatcher has no operator '" + op.text + "'" +
                     (near.empty() ? "; its names are those of torch.ops, for example aten::gelu"
                                   : "; did you mean '" + near + "'?"));
}

void check_argument_names(const YamlNode& args, const std::string& op,
                          const OperatorSchemas& schemas) {
  std::vector<std::string> known;
  const auto add = [&known](const std::vector<std::string>& arguments) {
    for (const std::string& name : arguments)
      if (std::ranges::find(known, name) == known.end()) known.push_back(name);
  };
  if (const auto found = schemas.find(op); found != schemas.end()) add(found->second);
  const bool names_overload = op.find('.') != op.npos;
  if (!names_overload)
    for (const auto& [name, arguments] : overloads_of(op, schemas)) add(arguments);
  if (known.empty()) return;
  for (const YamlEntry& entry : args.entries) {
    if (std::ranges::find(known, entry.key) != known.end()) continue;
    const std::string near = nearest_name(entry.key, known);
    fail_at(entry.at, "the operator '" + op + "' has no argument '" + entry.key + "'" +
                          (near.empty() ? "; its arguments: "
                                        : "; did you mean '" + near + "'? Its arguments: ") +
                          joined(known));
  }
}

}  // namespace plumbline
