#include "suite/operator_schemas.h"

#include <algorithm>
#include <functional>
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

std::string missing_in_words(const std::string& op, const OperatorSchemas& schemas) {
  std::vector<std::string> names;
  for (const auto& [name, arguments] : schemas) names.push_back(name);
  const std::string near = nearest_name(op, names);
  return "the dispatcher has no operator '" + op + "'" +
         (near.empty() ? "; its names are those of torch.ops, for example aten::gelu"
                       : "; did you mean '" + near + "'?");
}

/// What is wrong with a name as an argument of `op`, of any overload where it names none; "" where
/// nothing is, or the operator is not known.
std::string argument_mistake(const std::string& op, const std::string& name,
                             const OperatorSchemas& schemas) {
  std::vector<std::string> known;
  const auto add = [&known](const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments)
      if (std::ranges::find(known, argument) == known.end()) known.push_back(argument);
  };
  if (const auto found = schemas.find(op); found != schemas.end()) add(found->second);
  if (op.find('.') == op.npos)
    for (const auto& [overload, arguments] : overloads_of(op, schemas)) add(arguments);
  if (known.empty() || std::ranges::find(known, name) != known.end()) return "";
  return no_such_argument(op, name, known);
}

/// `fail` is told the column and what is wrong there.
void check_calls(const Expression& e, const OperatorSchemas& schemas,
                 const std::function<void(std::size_t, const std::string&)>& fail) {
  if (is_operator_call(e)) {
    const std::string& op = e.operands[0]->name;
    if (!schemas.contains(op) && overloads_of(op, schemas).empty())
      fail(e.column, missing_in_words(op, schemas));
    for (const auto& [keyword, value] : e.keywords)
      if (const std::string wrong = argument_mistake(op, keyword, schemas); !wrong.empty())
        fail(e.column, wrong);
  }
  for (const ExpressionPtr& operand : e.operands) check_calls(*operand, schemas, fail);
  for (const auto& [keyword, value] : e.keywords) check_calls(*value, schemas, fail);
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
  std::vector<std::string> overloads;
  for (const auto& [name, arguments] : overloads_of(op.text, schemas)) overloads.push_back(name);
  if (!overloads.empty())
    fail_at(op.at,
            "the operator '" + op.text + "' has overloads only; allowed: " + joined(overloads));
  fail_at(op.at, missing_in_words(op.text, schemas));
}

void check_argument_names(const YamlNode& args, const std::string& op,
                          const OperatorSchemas& schemas) {
  for (const YamlEntry& entry : args.entries)
    if (const std::string wrong = argument_mistake(op, entry.key, schemas); !wrong.empty())
      fail_at(entry.at, wrong);
}

void check_calls(const YamlNode& node, const std::string& text, const OperatorSchemas& schemas) {
  if (schemas.empty()) return;
  check_calls(*parse_expression(text), schemas, [&](std::size_t column, const std::string& wrong) {
    fail_in_expression(node.at, text, "column " + std::to_string(column) + ": " + wrong);
  });
}

}  // namespace plumbline
