#include "suite/declared/declaration.h"

#include <algorithm>

#include "core/error.h"
#include "suite/declared/declared_parts.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

std::string owners_in_words(const YamlKey& key) {
  std::vector<std::string> owners;
  for (const auto& [kind, words] :
       {std::pair{OpKind::dispatcher, "operators of the dispatcher (aten::…)"},
        {OpKind::kernel, "op: kernel"},
        {OpKind::plugin, "op: plugin"},
        {OpKind::python, "op: python"},
        {OpKind::module, "op: module"},
        {OpKind::graph, "op: cudnn.graph"}})
    if (is_of(key, kind)) owners.emplace_back(words);
  return joined(owners);
}

const YamlNode& required_args(const YamlNode& benchmark, const std::string& op, OpKind kind) {
  const bool is_operator = kind == OpKind::dispatcher;
  const YamlNode& args = *required(
      benchmark, "args", "the benchmark of " + op,
      is_operator ? ", the arguments of its schema: args: {input: \"randn[rows, cols]\"}"
      : kind == OpKind::module
          ? ", the inputs of the network: args: {images: \"randn[batch, 3, 224, 224]\"}"
      : kind == OpKind::python
          ? ", the arguments of the function: args: {x: \"randn[rows]\"}"
          : ", its arguments in their order: args: {x: \"randn[rows]\", y: {output: [rows]}}");
  if (args.kind != YamlNode::Kind::map)
    fail_on_kind(args, "'args'",
                 is_operator ? "a map: schema argument: expression"
                             : "a map: argument: expression, or {output: shape}");
  return args;
}

void check_has_result(const YamlNode& args, const std::vector<Argument>& arguments) {
  const auto is_result = [](const Argument& argument) {
    return argument.role == Argument::Role::output || argument.role == Argument::Role::inout;
  };
  if (!std::ranges::any_of(arguments, is_result))
    fail_at(args.at, "none of these arguments is a result; one is y: {output: [rows, cols]}");
}

/// No operator takes a text such as '[cols]': it was meant as a list.
void refuse_quoted_lists(const Expression& expression, const YamlEntry& entry,
                         const std::string& text) {
  const auto* const literal = std::get_if<std::string>(&expression.literal);
  if (expression.kind == Expression::Kind::literal && literal && literal->starts_with('[') &&
      literal->ends_with(']'))
    fail_in_expression(entry.value->at, text,
                       "column " + std::to_string(expression.column) + ": found the text '" +
                           *literal + "', expected a list: write " + *literal +
                           ", without quotes of its own");
  for (const ExpressionPtr& operand : expression.operands)
    refuse_quoted_lists(*operand, entry, text);
  for (const auto& [name, operand] : expression.keywords)
    refuse_quoted_lists(*operand, entry, text);
}

/// Reads the arguments, and the reference over them.
void read_arguments(const YamlNode& benchmark, const std::string& op,
                    const std::vector<std::string>& params, Declaration& declaration) {
  const OpKind kind = kind_of_op(op);
  std::vector<std::string> names = params;
  const YamlNode& args = required_args(benchmark, op, kind);
  for (const YamlEntry& entry : args.entries)
    declaration.args.push_back(read_argument(entry, kind, names, params));
  // Only these need declared outputs; operators and Python functions return results.
  if (kind == OpKind::kernel || kind == OpKind::plugin) check_has_result(args, declaration.args);
  for (const Argument& argument : declaration.args)
    if (argument.role == Argument::Role::input || argument.role == Argument::Role::inout)
      names.push_back(argument.name);
  const YamlEntry* const reference = find_entry(benchmark, "reference");
  if (!reference) return;
  declaration.reference = read_expression(*reference, names, kQuoteHint);
  refuse_quoted_lists(*parse_expression(declaration.reference), *reference, declaration.reference);
}

bool is_of_problem(const Argument& argument) {
  return argument.role != Argument::Role::scalar && argument.role != Argument::Role::scratch;
}

}  // namespace

OpKind kind_of_op(std::string_view op) {
  if (op == "kernel") return OpKind::kernel;
  if (op == "plugin") return OpKind::plugin;
  if (op == "python") return OpKind::python;
  if (op == "module") return OpKind::module;
  if (op == "cudnn.graph") return OpKind::graph;
  return op.find("::") != std::string_view::npos ? OpKind::dispatcher : OpKind::catalogue;
}

void check_owned_keys(const YamlNode& benchmark, const std::string& op, OpKind kind) {
  for (const YamlKey& key : kBenchmarkKeys)
    if (const YamlEntry* entry = find_entry(benchmark, key.name); entry && !is_of(key, kind))
      fail_at(entry->at, "found '" + entry->key + "' beside the op '" + op + "'" +
                             (kind == OpKind::catalogue ? ", which the catalogue declares" : "") +
                             "; this key is for " + owners_in_words(key));
}

Declaration read_declaration(const YamlNode& benchmark, const std::string& op,
                             const std::vector<std::string>& params) {
  const OpKind kind = kind_of_op(op);
  Declaration declaration;
  if (kind == OpKind::kernel) declaration.kernel = read_kernel(benchmark, params);
  if (kind == OpKind::plugin) declaration.plugin = read_plugin(benchmark, params);
  if (kind == OpKind::python) declaration.python = read_python(benchmark);
  if (kind == OpKind::module && is_saved_network(benchmark))
    declaration.network = read_saved_network(benchmark);
  else if (kind == OpKind::module)
    declaration.python = read_module(benchmark, params);
  if (kind == OpKind::graph)
    declaration.graph = read_graph(benchmark);
  else
    read_arguments(benchmark, op, params, declaration);
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

std::string revision_of(const std::string& op, const Declaration& declaration) {
  std::string text = op;
  for (const Argument& argument : declaration.args) {
    if (!is_of_problem(argument)) continue;
    text += '\n' + argument.name + '=' + argument.expression;
    if (argument.role != Argument::Role::input)
      text += '\n' + std::string(name_of(argument.role)) + ' ' + argument.type;
  }
  if (!declaration.graph.empty()) text += "\ngraph=" + declaration.graph;
  if (declaration.python && !declaration.python->reference_function.empty())
    text += "\nreference_function=" + declaration.python->reference_function;
  if (declaration.python && declaration.python->module)
    for (const auto& [name, expression] : declaration.python->module->with)
      text += "\nwith." + name + '=' + expression;
  if (declaration.network && !declaration.network->reference.empty()) text += "\nreference_source";
  text += "\nreference=" + declaration.reference + "\nflops=" + declaration.flops +
          "\nbytes=" + declaration.bytes;
  if (declaration.tolerance) text += "\ntolerance=" + shortest_text(*declaration.tolerance);
  return stable_hash_text(text);
}

}  // namespace plumbline
