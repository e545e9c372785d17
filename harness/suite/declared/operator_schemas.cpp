#include "suite/declared/operator_schemas.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <ranges>

#include "core/expression/expression.h"
#include "suite/declared/declared_parts.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

bool is_schema_name(std::string_view op) {
  const auto colons = op.find("::");
  const std::string_view name = op.substr(colons + 2);
  const auto dot = name.find('.');
  return is_word(op.substr(0, colons)) && is_word(name.substr(0, dot)) &&
         (dot == std::string_view::npos || is_word(name.substr(dot + 1)));
}

using Arguments = std::vector<SchemaArgument>;

/// Parses `SymInt[2] dim=[0, 1]`: the name is the last word before the default. Empty for the
/// separator "*".
SchemaArgument argument_of(std::string_view text) {
  const auto equals = text.find('=');
  const bool has_default = equals != text.npos;
  text = text.substr(0, equals);
  const auto begin = text.find_last_of(' ');
  const std::string_view name = begin == text.npos ? text : text.substr(begin + 1);
  if (!is_word(name)) return {};
  std::string_view type = begin == text.npos ? "" : text.substr(0, begin);
  type.remove_prefix(std::min(type.size(), type.find_first_not_of(' ')));
  return {std::string(name), std::string(type), has_default};
}

/// The schemas of `name` with an overload name.
auto overloads_of(const std::string& name, const OperatorSchemas& schemas) {
  // '/' is the character after '.'.
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

/// The schemas that `op` can refer to: its own, and all its overloads if `op` names none.
std::vector<const Arguments*> meant_by(const std::string& op, const OperatorSchemas& schemas) {
  std::vector<const Arguments*> all;
  if (const auto found = schemas.find(op); found != schemas.end()) all.push_back(&found->second);
  if (op.find('.') == op.npos)
    for (const auto& [overload, arguments] : overloads_of(op, schemas)) all.push_back(&arguments);
  return all;
}

std::vector<std::string> names_of(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const SchemaArgument& argument : arguments) names.push_back(argument.name);
  return names;
}

/// What is wrong with `name` as an argument of `op`, or of any overload if `op` names none; "" if
/// it is valid or the operator is unknown.
std::string argument_mistake(const std::string& op, const std::string& name,
                             const OperatorSchemas& schemas) {
  std::vector<std::string> known;
  for (const Arguments* arguments : meant_by(op, schemas))
    for (const SchemaArgument& argument : *arguments)
      if (std::ranges::find(known, argument.name) == known.end()) known.push_back(argument.name);
  if (known.empty() || std::ranges::find(known, name) != known.end()) return "";
  return no_such_argument(op, name, known);
}

/// The arguments of a call: how many by position, and the others by name.
struct Given {
  std::size_t positional = 0;
  std::vector<std::string> names;
};

/// Missing arguments without a default; nothing if the schema does not accept the given ones.
std::optional<Arguments> missing_in(const Arguments& arguments, const Given& given) {
  if (given.positional > arguments.size()) return std::nullopt;
  const auto others =
      std::ranges::subrange(arguments.begin() + std::ptrdiff_t(given.positional), arguments.end());
  for (const std::string& name : given.names)
    if (std::ranges::find(others, name, &SchemaArgument::name) == others.end()) return std::nullopt;
  Arguments missing;
  for (const SchemaArgument& argument : others)
    if (!argument.has_default && std::ranges::count(given.names, argument.name) == 0)
      missing.push_back(argument);
  return missing;
}

/// Why no schema of `op` accepts the given arguments; "" if one does or none is known.
std::string call_mistake(const std::string& op, const Given& given,
                         const OperatorSchemas& schemas) {
  const Arguments* nearest = nullptr;
  Arguments lacks;
  const auto candidates = meant_by(op, schemas);
  for (const Arguments* arguments : candidates) {
    const auto missing = missing_in(*arguments, given);
    if (!missing) continue;
    if (missing->empty()) return "";
    if (nearest && missing->size() >= lacks.size()) continue;
    nearest = arguments;
    lacks = *missing;
  }
  if (candidates.empty()) return "";
  if (nearest)
    return "the operator '" + op + "' lacks its argument '" + lacks.front().name + "' (" +
           lacks.front().type +
           "), which has no default. Its arguments: " + joined(names_of(*nearest));
  std::string known;
  for (const Arguments* arguments : candidates)
    known += (known.empty() ? "(" : "; (") + joined(names_of(*arguments)) + ")";
  return "the operator '" + op + "' does not take these arguments together; allowed: " + known;
}

/// Whether it is the shape of an operator that reads no tensor, or that creates a new one.
bool is_new_shape(const std::string& op, const Arguments& arguments,
                  const SchemaArgument& argument) {
  const bool is_shape = argument.name == "size" && argument.type.ends_with("]") &&
                        argument.type.find("nt[") != argument.type.npos;  // int[], SymInt[2]
  const auto is_read = [](const SchemaArgument& other) {
    return other.type.starts_with("Tensor") && other.type.find('!') == other.type.npos;
  };
  const bool is_made = op.find("::new_") != op.npos || std::ranges::none_of(arguments, is_read);
  return is_shape && is_made;
}

/// `fail` gets the column and the mistake.
void check_calls(const Expression& e, const OperatorSchemas& schemas,
                 const std::function<void(std::size_t, const std::string&)>& fail) {
  if (is_operator_call(e)) {
    const std::string& op = e.operands[0]->name;
    if (!schemas.contains(op) && overloads_of(op, schemas).empty())
      fail(e.column, missing_in_words(op, schemas));
    for (const auto& [keyword, value] : e.keywords)
      if (const std::string wrong = argument_mistake(op, keyword, schemas); !wrong.empty())
        fail(e.column, wrong);
    Given given{e.operands.size() - 1, {}};
    for (const auto& [keyword, value] : e.keywords) given.names.push_back(keyword);
    if (const std::string wrong = call_mistake(op, given, schemas); !wrong.empty())
      fail(e.column, wrong);
  }
  for (const ExpressionPtr& operand : e.operands) check_calls(*operand, schemas, fail);
  for (const auto& [keyword, value] : e.keywords) check_calls(*value, schemas, fail);
}

}  // namespace

void add_schema(std::string_view text, OperatorSchemas& schemas) {
  const auto open = text.find('(');
  if (open == text.npos) return;
  Arguments& arguments = schemas[std::string(text.substr(0, open))];
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
    if (SchemaArgument argument = argument_of(text.substr(begin, i - begin));
        !argument.name.empty())
      arguments.push_back(std::move(argument));
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

void check_arguments(const YamlNode& args, const std::string& op, const OperatorSchemas& schemas) {
  Given given;
  for (const YamlEntry& entry : args.entries) {
    if (const std::string wrong = argument_mistake(op, entry.key, schemas); !wrong.empty())
      fail_at(entry.at, wrong);
    given.names.push_back(entry.key);
  }
  if (const std::string wrong = call_mistake(op, given, schemas); !wrong.empty())
    fail_at(args.at, wrong);
}

void check_calls(const YamlNode& node, const std::string& text, const OperatorSchemas& schemas) {
  if (schemas.empty()) return;
  check_calls(*parse_expression(text), schemas, [&](std::size_t column, const std::string& wrong) {
    fail_in_expression(node.at, text, "column " + std::to_string(column) + ": " + wrong);
  });
}

bool is_new_shape(const std::string& op, const std::string& name, const OperatorSchemas& schemas) {
  bool is_known = false;
  for (const Arguments* arguments : meant_by(op, schemas)) {
    const auto found = std::ranges::find(*arguments, name, &SchemaArgument::name);
    if (found == arguments->end()) continue;
    if (!is_new_shape(op, *arguments, *found)) return false;
    is_known = true;
  }
  return is_known;
}

bool is_new_shape(const std::string& op, std::size_t position, const OperatorSchemas& schemas) {
  const auto candidates = meant_by(op, schemas);
  return !candidates.empty() && std::ranges::all_of(candidates, [&](const Arguments* arguments) {
    return position < arguments->size() && is_new_shape(op, *arguments, (*arguments)[position]);
  });
}

}  // namespace plumbline
