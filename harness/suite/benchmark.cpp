#include "suite/benchmark.h"

#include <algorithm>

#include "core/error.h"
#include "core/op/library_settings.h"
#include "core/op/techniques.h"
#include "suite/declared/declaration.h"
#include "suite/declared/operator_schemas.h"
#include "suite/policy_reader.h"
#include "suite/recorded_steps.h"
#include "suite/schema/keys.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

bool is_own_code(OpKind kind) {
  return kind == OpKind::kernel || kind == OpKind::plugin || kind == OpKind::python ||
         kind == OpKind::module;
}

/// Whether cases take the name that the suite gives.
bool is_named(OpKind kind) { return is_own_code(kind) || kind == OpKind::graph; }

/// The settings that can affect a declared op. Operators and Python code take all of the library,
/// since what they call is unknown, and networks also techniques; graphs take those of cuDNN's
/// plans; other code takes none.
const std::vector<ParamSpec>& settings_of(OpKind kind) {
  static const std::vector<ParamSpec> kNone;
  static const std::vector<ParamSpec> kOfNetworks = [] {
    std::vector<ParamSpec> params = technique_params();
    for (const ParamSpec& param : library_params())  // the techniques hold these two
      if (param.name != "library.tf32" && param.name != "library.attention")
        params.push_back(param);
    return params;
  }();
  if (kind == OpKind::module) return kOfNetworks;
  if (kind == OpKind::dispatcher || kind == OpKind::python) return library_params();
  return kind == OpKind::graph ? cudnn_library_params() : kNone;
}

/// The backend if the suite names none: LibTorch, where it has the op. `entry`: of an op of the
/// catalogue.
std::string usual_backend(OpKind kind, const CatalogueEntry* entry) {
  if (kind == OpKind::graph) return "cudnn";
  if (is_own_code(kind)) return "custom";
  const bool is_elsewhere = entry != nullptr && !entry->backends.empty() &&
                            std::ranges::find(entry->backends, "libtorch") == entry->backends.end();
  return is_elsewhere ? entry->backends.front() : "libtorch";
}

const CatalogueEntry* read_op(const YamlNode& op, const BenchmarkContext& context) {
  const std::string name = read_text(op, "'op'");
  const OpKind kind = kind_of_op(name);
  if (kind == OpKind::dispatcher) check_dispatcher_op(op, context.options.schemas);
  if (kind != OpKind::catalogue) return nullptr;
  if (const CatalogueEntry* entry = find_op(context.catalogue, name)) return entry;
  std::vector<std::string> known;
  for (const CatalogueEntry& entry : context.catalogue) known.push_back(entry.spec.name);
  fail_at(op.at, "unknown op '" + name + "'" +
                     allowed_names(name, known,
                                   "; operators of the dispatcher: aten::…; code of your own: "
                                   "kernel, plugin, python, module, cudnn.graph"));
}

std::vector<std::string> read_backends(const YamlNode& benchmark, OpKind kind,
                                       const CatalogueEntry* entry_of_op,
                                       const BenchmarkContext& context) {
  const YamlEntry* entry = find_entry(benchmark, "backend");
  YamlPtr node = entry ? entry->value : nullptr;
  for (AxisOverride& override : context.overrides) {
    if (override.axis != "backend") continue;
    node = override.values;
    override.is_used = true;
  }
  if (!node) return {usual_backend(kind, entry_of_op)};
  const std::vector<std::string> known(std::begin(kBackends), std::end(kBackends));
  std::vector<std::string> backends;
  for (const YamlPtr& item : read_items(node, "'backend'")) {
    const std::string name = read_text(*item, "a backend");
    if (std::ranges::find(known, name) == known.end())
      fail_at(item->at, "unknown backend '" + name + "'" + allowed_names(name, known));
    if (std::ranges::find(backends, name) != backends.end())
      fail_at(item->at, "backend '" + name + "' appears twice");
    backends.push_back(name);
  }
  return backends;
}

std::vector<std::string> swept_params(const Benchmark& benchmark) {
  std::vector<std::string> names;
  for (const SweepAxis& axis : benchmark.axes)
    names.insert(names.end(), axis.params.begin(), axis.params.end());
  return names;
}

std::vector<Exclusion> read_exclusions(const Benchmark& benchmark) {
  const std::vector<std::string> swept = swept_params(benchmark);
  std::vector<Exclusion> exclusions;
  if (const YamlEntry* where = find_entry(*benchmark.node, "where")) {
    Exclusion rule{read_condition(*where->value, benchmark.params, swept), false, "",
                   where->value->at};
    rule.reason = "only where " + rule.condition.text;
    exclusions.push_back(std::move(rule));
  }
  const YamlEntry* exclude = find_entry(*benchmark.node, "exclude");
  if (!exclude) return exclusions;
  for (const YamlPtr& item : read_items(exclude->value, "'exclude'")) {
    check_keys(*item, kExcludeKeys, "'exclude'");
    const auto value = [&](const char* key) -> const YamlNode& {
      return *required(*item, key, "this exclusion",
                       "; it is {where: {dtype: float16}, reason: \"why\"}");
    };
    exclusions.push_back({read_condition(value("where"), benchmark.params, swept), true,
                          read_text(value("reason"), "'reason'"), value("where").at});
  }
  return exclusions;
}

Status read_expected_status(const YamlNode& node) {
  const std::string name = read_text(node, "'status'");
  if (std::ranges::find(kExpectable, name) == kExpectable.end())
    fail_at(node.at, "'" + name + "' cannot be expected" +
                         allowed_names(name, {kExpectable.begin(), kExpectable.end()}));
  return *status_named(name);
}

std::vector<ExpectationEntry> read_expectations(const Benchmark& benchmark) {
  const YamlEntry* expect = find_entry(*benchmark.node, "expect");
  if (!expect) return {};
  const std::vector<std::string> swept = swept_params(benchmark);
  std::vector<ExpectationEntry> expectations;
  for (const YamlPtr& item : read_items(expect->value, "'expect'")) {
    check_keys(*item, kExpectKeys, "'expect'");
    const auto value = [&](const char* key) -> const YamlNode& {
      return *required(*item, key, "this expectation",
                       "; it is {where: {dtype: float16}, status: WRONG, reason: \"why\"}");
    };
    expectations.push_back({read_condition(value("where"), benchmark.params, swept),
                            read_expected_status(value("status")),
                            read_text(value("reason"), "'reason'"), item->at});
  }
  return expectations;
}

double read_threshold(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::map) fail_on_kind(node, "'threshold'", "a map: {slowdown: 2%}");
  check_keys(node, kThresholdKeys, "'threshold'");
  const YamlNode& slowdown = *required(node, "slowdown", "'threshold'", ": {slowdown: 2%}");
  double fraction = -1;
  if (const auto percent = number_of_percent(slowdown)) {
    fraction = *percent / 100;
  } else if (slowdown.kind == YamlNode::Kind::scalar) {
    if (const auto* integer = std::get_if<std::int64_t>(&slowdown.value))
      fraction = double(*integer);
    if (const auto* real = std::get_if<double>(&slowdown.value)) fraction = *real;
  }
  const bool is_bare = !number_of_percent(slowdown);
  if (is_bare && fraction >= 1)  // 5 may be meant as 5 %, and would be 500 %
    fail_on_kind(slowdown, "'slowdown'", "2% or 0.02; from 1 on it needs a sign: 5% or 500%");
  if (!(fraction > 0 && fraction <= 10))
    fail_on_kind(slowdown, "'slowdown'", "2% or 0.02, above 0 and up to 1000%");
  return fraction;
}

/// The parameter that `batch_invariant` names; "" without that key.
std::string read_batch(const Benchmark& benchmark) {
  const YamlEntry* entry = find_entry(*benchmark.node, "batch_invariant");
  if (!entry) return "";
  const YamlNode& node = *entry->value;
  std::vector<std::string> known;
  for (const ParamSpec* param : benchmark.params.all())
    if (param->kind == ParamKind::integer && is_problem_param(param->name))
      known.push_back(param->name);
  for (const SweepAxis& axis : benchmark.axes)
    for (std::size_t i = 0; i < axis.params.size(); ++i) {
      const auto is_integer = [i](const SweepRow& row) {
        return std::holds_alternative<std::int64_t>(row.values[i]);
      };
      if (!benchmark.params.find(axis.params[i]) && std::ranges::all_of(axis.rows, is_integer))
        known.push_back(axis.params[i]);
    }
  if (node.kind != YamlNode::Kind::scalar || !std::holds_alternative<std::string>(node.value))
    fail_on_kind(node, "'batch_invariant'",
                 "the parameter that counts the batch: one of " + joined(known));
  if (std::ranges::find(known, node.text) == known.end())
    fail_at(node.at, "'" + node.text +
                         "' is no integer parameter of this benchmark, so it counts no batch" +
                         allowed_names(node.text, known));
  return node.text;
}

std::vector<std::string> read_tags(const YamlPtr& node) {
  std::vector<std::string> tags;
  for (const YamlPtr& item : read_items(node, "'tags'")) tags.push_back(read_name(*item, "a tag"));
  return tags;
}

std::shared_ptr<const Policy> read_benchmark_policy(const YamlNode& benchmark,
                                                    const BenchmarkContext& context) {
  Policy policy = context.policy;
  const YamlEntry* measure = find_entry(benchmark, "measure");
  if (measure) read_policy(*measure->value, policy);
  apply_policy_overrides(context.options.policy_overrides, policy);
  check_policy(policy, context.options.policy_overrides,
               {measure ? measure->value.get() : nullptr, context.measure}, benchmark.at);
  return std::make_shared<const Policy>(std::move(policy));
}

/// Checks a declaration against the schemas of the dispatcher.
void check_operators(const YamlNode& benchmark, const std::string& op,
                     const OperatorSchemas& schemas) {
  const YamlEntry* args = find_entry(benchmark, "args");
  const YamlEntry* reference = find_entry(benchmark, "reference");
  if (args && kind_of_op(op) == OpKind::dispatcher) check_arguments(*args->value, op, schemas);
  std::vector<YamlPtr> expressions;
  if (args)
    for (const YamlEntry& entry : args->value->entries) expressions.push_back(entry.value);
  if (reference) expressions.push_back(reference->value);
  for (const YamlPtr& node : expressions)
    if (node->kind != YamlNode::Kind::map)
      check_calls(*node, read_expression_text(*node, "an expression"), schemas);
}

void declare(Benchmark& benchmark, const std::string& op) {
  std::vector<std::string> names = benchmark.params.names();
  for (const std::string& name : swept_params(benchmark))
    if (!benchmark.params.find(name)) names.push_back(name);
  auto declaration =
      std::make_shared<const Declaration>(read_declaration(*benchmark.node, op, names));
  // All kinds of own code are hashed as "custom": the kind is not part of the problem.
  benchmark.revision = revision_of(is_own_code(kind_of_op(op)) ? "custom" : op, *declaration);
  benchmark.declaration = std::move(declaration);
  benchmark.files = std::make_shared<InputFiles>(*benchmark.node, benchmark.declaration.get());
}

std::string read_case_name(const YamlNode& benchmark, const std::string& op,
                           const BenchmarkContext& context) {
  if (!is_named(kind_of_op(op)) && !find_entry(benchmark, "name")) return op;
  const YamlNode& node = *required(benchmark, "name", "the benchmark of " + op,
                                   ", what its cases are called: name: bias_gelu");
  const std::string name = read_name(node, "'name'");
  // Python code may share a catalogue op's name: its cases are on the backend custom.
  const OpKind kind = kind_of_op(op);
  if (kind != OpKind::python && kind != OpKind::module && find_op(context.catalogue, name))
    fail_at(node.at, "'" + name + "' is an op of the catalogue; choose another name");
  return name;
}

}  // namespace

Benchmark read_benchmark(const YamlPtr& node, const BenchmarkContext& context) {
  check_keys(*node, kBenchmarkKeys, "a benchmark");
  const YamlNode& op = *required(*node, "op", "this benchmark", ", what is computed");
  const CatalogueEntry* entry = read_op(op, context);
  const std::string& op_text = op.text;
  const OpKind kind = kind_of_op(op_text);
  check_owned_keys(*node, op_text, kind);
  const std::string name = entry ? op_text : read_case_name(*node, op_text, context);
  // The suite's own code is identified only by its name, also when results are grouped by op.
  Benchmark benchmark{.node = node,
                      .params = OpParams(is_named(kind) ? name : op_text,
                                         entry ? &entry->spec : nullptr, settings_of(kind)),
                      .entry = entry,
                      .name = name,
                      .revision = entry ? std::to_string(entry->spec.revision) : "",
                      .backends = read_backends(*node, kind, entry, context),
                      .axes = {},
                      .exclusions = {},
                      .expectations = {},
                      .tags = {},
                      .threshold = {},
                      .calls = {},
                      .batch = {},
                      .policy = {},
                      .declaration = {},
                      .files = {},
                      .schemas = &context.options.schemas};
  const YamlEntry* sweep = find_entry(*node, "sweep");
  benchmark.axes = read_sweep(sweep ? sweep->value.get() : nullptr, node->at, benchmark.params,
                              context.shapes, context.overrides);
  if (!entry) declare(benchmark, op_text);
  if (!entry) check_operators(*node, op_text, context.options.schemas);
  benchmark.exclusions = read_exclusions(benchmark);
  benchmark.expectations = read_expectations(benchmark);
  benchmark.policy = read_benchmark_policy(*node, context);
  if (const YamlEntry* tags = find_entry(*node, "tags")) benchmark.tags = read_tags(tags->value);
  if (const YamlEntry* threshold = find_entry(*node, "threshold"))
    benchmark.threshold = read_threshold(*threshold->value);
  benchmark.batch = read_batch(benchmark);
  if (const YamlEntry* calls = find_entry(*node, "calls"))
    benchmark.calls = read_calls(*calls->value, context.steps);
  return benchmark;
}

}  // namespace plumbline
