#include "suite/declaration.h"

#include <algorithm>
#include <cctype>

#include "core/dtype.h"
#include "core/error.h"
#include "suite/keys.h"
#include "suite/reader.h"

namespace plumbline {
namespace {

bool is_word(std::string_view text) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !text.empty() && std::ranges::all_of(text, is_part) &&
         !std::isdigit(static_cast<unsigned char>(text[0]));
}

bool is_schema_name(std::string_view op) {
  const auto colons = op.find("::");
  const std::string_view name = op.substr(colons + 2);
  const auto dot = name.find('.');
  return is_word(op.substr(0, colons)) && is_word(name.substr(0, dot)) &&
         (dot == std::string_view::npos || is_word(name.substr(dot + 1)));
}

/// An expression at the key `key` of `map`, parsed and checked; "" where the key is missing.
std::string read_expression(const YamlNode& map, std::string_view key,
                            const std::vector<std::string>& names, const std::string& hint) {
  const YamlEntry* entry = find_entry(map, key);
  if (!entry) return "";
  const std::string text = read_expression_text(*entry->value, "'" + entry->key + "'");
  check_names(*parse_expression_at(*entry->value, text), entry->value->at, text, names, hint);
  return text;
}

}  // namespace

void check_dispatcher_op(const YamlNode& op, const std::set<std::string>& schemas) {
  if (!is_schema_name(op.text))
    fail_at(op.at, "found the op '" + op.text +
                       "'; an operator of the dispatcher is namespace::name or "
                       "namespace::name.overload, for example aten::add.Tensor");
  if (schemas.empty() || schemas.contains(op.text)) return;
  std::vector<std::string> overloads;
  for (auto it = schemas.lower_bound(op.text + "."); it != schemas.end(); ++it) {
    if (!it->starts_with(op.text + ".")) break;
    overloads.push_back(*it);
  }
  if (!overloads.empty())
    fail_at(op.at,
            "the operator '" + op.text + "' has overloads only; allowed: " + joined(overloads));
  const std::string near = nearest_name(op.text, {schemas.begin(), schemas.end()});
  fail_at(op.at, "the dispatcher has no operator '" + op.text + "'" +
                     (near.empty() ? "; its names are those of torch.ops, for example aten::gelu"
                                   : "; did you mean '" + near + "'?"));
}

Declaration read_declaration(const YamlNode& benchmark, const std::string& op,
                             const std::vector<std::string>& params) {
  constexpr const char* kQuoteHint = "; a text has quotes of its own: \"'tanh'\"";
  Declaration declaration;
  std::vector<std::string> names = params;
  for (const DTypeInfo& row : kDTypes) names.emplace_back(row.name);
  const YamlEntry* args = find_entry(benchmark, "args");
  if (!args)
    fail_at(benchmark.at, "the benchmark of " + op +
                              " lacks 'args', the arguments of its schema: " +
                              "args: {input: \"randn[rows, cols]\"}");
  if (args->value->kind != YamlNode::Kind::map)
    fail_on_kind(*args->value, "'args'", "a map: schema argument: expression");
  for (const YamlEntry& arg : args->value->entries) {
    if (!is_word(arg.key))
      fail_at(arg.at, "found '" + arg.key +
                          "' as an argument; it is a name of the schema: letters, "
                          "digits, '_'");
    declaration.args.emplace_back(arg.key,
                                  read_expression(*args->value, arg.key, names, kQuoteHint));
  }
  for (const auto& [name, text] : declaration.args) names.push_back(name);
  declaration.reference = read_expression(benchmark, "reference", names, kQuoteHint);
  if (const YamlEntry* cost = find_entry(benchmark, "cost")) {
    check_keys(*cost->value, kCostKeys, "'cost'");
    declaration.flops = read_expression(*cost->value, "flops", params, "");
    declaration.bytes = read_expression(*cost->value, "bytes", params, "");
  }
  if (const YamlEntry* tolerance = find_entry(benchmark, "tolerance")) {
    declaration.tolerance = read_number(*tolerance->value, "'tolerance'");
    if (*declaration.tolerance < 0 || *declaration.tolerance >= 1)
      fail_on_kind(*tolerance->value, "'tolerance'", "a relative error from 0 to below 1");
  }
  return declaration;
}

void check_cost(const YamlNode& benchmark, const Declaration& declaration, const Params& params) {
  const YamlEntry* cost = find_entry(benchmark, "cost");
  if (!cost) return;
  for (const auto& [key, text] :
       {std::pair{"flops", &declaration.flops}, std::pair{"bytes", &declaration.bytes}}) {
    if (text->empty()) continue;
    const YamlPlace& at = find_entry(*cost->value, key)->value->at;
    double value = 0;
    try {
      value = evaluate_number(*text, params);
    } catch (const Error& error) {
      fail_in_expression(at, *text, error.what());
    }
    if (!(value >= 0))
      fail_at(at,
              "'" + std::string(key) + "' is " + shortest_text(value) + "; a cost is 0 or more");
  }
}

std::string revision_of(const std::string& op, const Declaration& declaration) {
  std::string text = op;
  for (const auto& [name, expression] : declaration.args) text += '\n' + name + '=' + expression;
  text += "\nreference=" + declaration.reference + "\nflops=" + declaration.flops +
          "\nbytes=" + declaration.bytes;
  if (declaration.tolerance) text += "\ntolerance=" + shortest_text(*declaration.tolerance);
  return stable_hash_text(text);
}

}  // namespace plumbline
