/// plumbline ops, schema, version: information that needs no worker.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "core/error.h"
#include "core/expression/expression.h"
#include "core/op/op_limits.h"
#include "import/import_mapping_schema.h"
#include "ops/catalogue.h"
#include "protocol/schema.h"
#include "suite/schema/schema.h"
#include "terminal/choice.h"
#include "terminal/console.h"
#include "terminal/table.h"
#include "workflow/fleet/rule_file.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

struct OpsFlags {
  std::string op;
  bool json = false;
};

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

std::vector<std::string> names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(info(dtype).name);
  return names;
}

constexpr std::string_view kKinds[] = {"boolean", "integer", "number", "text"};

std::string_view kind_of(const ParamSpec& param) {
  return kKinds[static_cast<std::size_t>(param.kind)];
}

const CostSpec& cost_of(const OpSpec& spec, const std::string& direction) {
  return direction == "forward" ? spec.forward : spec.backward;
}

Json json_of(const ParamSpec& param) {
  Json item{{"name", param.name}, {"kind", kind_of(param)}, {"doc", param.doc}};
  if (param.fallback)
    std::visit([&](const auto& value) { item["default"] = value; }, *param.fallback);
  if (!param.allowed.empty()) item["allowed"] = param.allowed;
  if (param.takes_index) item["takes_index"] = true;
  if (param.minimum) item["minimum"] = *param.minimum;
  if (param.maximum) item["maximum"] = *param.maximum;
  return item;
}

std::string checked_in_words(const OpSpec& spec) {
  return spec.checked.empty() ? "the results" : spec.checked;
}

Json json_of(const CatalogueEntry& entry) {
  const OpSpec& spec = entry.spec;
  Json params = Json::array(), requirements = Json::array(), implementations = Json::array();
  for (const ParamSpec& param : params_of(spec)) params.push_back(json_of(param));
  for (const Requirement& requirement : spec.requirements)
    requirements.push_back(
        {{"condition", requirement.condition}, {"message", requirement.message}});
  for (const std::string& backend : entry.backends) {
    Json dtypes = Json::object(), limits = Json::array();
    for (const std::string& direction : directions_of(spec))
      dtypes[direction] = names_of(dtypes_of(spec, backend, direction));
    for (const Limit& limit : limits_of(spec, backend))
      limits.push_back({{"condition", limit.condition}, {"reason", limit.reason}});
    implementations.push_back({{"backend", backend}, {"dtypes", dtypes}, {"limits", limits}});
  }
  Json cost = Json::object(), tolerance = Json::object(), of_elements = Json::object();
  for (const std::string& direction : directions_of(spec))
    cost[direction] = {{"flops", cost_of(spec, direction).flops},
                       {"bytes", cost_of(spec, direction).bytes}};
  for (const DType dtype : spec.dtypes) {
    const BoundsInWords words = bounds_in_words(spec, dtype);
    tolerance[std::string(info(dtype).name)] = words.rel_l2;
    of_elements[std::string(info(dtype).name)] = words.element;
  }
  Json op{{"op", spec.name},
          {"doc", spec.doc},
          {"revision", spec.revision},
          {"backends", entry.backends},
          {"dtypes", names_of(spec.dtypes)},
          {"backward", spec.has_backward},
          {"host_timed", spec.host_timed != "false"},
          {"params", params},
          {"requirements", requirements},
          {"implementations", implementations},
          {"cost", cost},
          {"tolerance", tolerance},
          {"element_tolerance", of_elements},
          {"checked", checked_in_words(spec)}};
  if (spec.host_timed != "false" && spec.host_timed != "true")
    op["host_timed_where"] = spec.host_timed;
  return op;
}

std::string as_json(const Catalogue& catalogue) {
  Json list = Json::array();
  for (const CatalogueEntry& entry : catalogue) list.push_back(json_of(entry));
  return list.dump(1) + "\n";
}

/// The dtypes that a backend supports in a direction; "no" if it supports none.
std::string dtypes_in_words(const OpSpec& spec, const std::string& backend,
                            const std::string& direction) {
  if (std::ranges::count(directions_of(spec), direction) == 0) return "no";
  const std::string taken = joined(names_of(dtypes_of(spec, backend, direction)));
  return taken.empty() ? "no" : taken;
}

std::string overview(const Catalogue& catalogue) {
  Table table({{"op"},
               {"backend"},
               {"dtypes forward", Fit::text},
               {"dtypes backward", Fit::text},
               {"what it computes", Fit::text}});
  for (const CatalogueEntry& entry : catalogue)
    for (const std::string& backend : entry.backends) {
      const std::string forward = dtypes_in_words(entry.spec, backend, "forward");
      const std::string backward = dtypes_in_words(entry.spec, backend, "backward");
      table.add({{entry.spec.name},
                 {backend},
                 {forward},
                 {backward == forward ? "the same" : backward},
                 {backend == entry.backends.front() ? entry.spec.doc : ""}});
    }
  return table.text() +
         "\nplumbline ops OP: its parameters, what each backend takes, cost and tolerance; and "
         "every operator of the\ndispatcher is an op as `op: aten::…`\n";
}

std::string implementations_in_words(const CatalogueEntry& entry) {
  Table taken({{"backend"}, {"direction"}, {"dtypes", Fit::text}});
  Table limits({{"backend"}, {"only where", Fit::text}, {"else UNSUPPORTED, because", Fit::text}});
  for (const std::string& backend : entry.backends) {
    for (const std::string& direction : directions_of(entry.spec))
      taken.add({{backend}, {direction}, {dtypes_in_words(entry.spec, backend, direction)}});
    for (const Limit& limit : limits_of(entry.spec, backend))
      limits.add({{backend}, {limit.condition}, {limit.reason}});
  }
  return taken.text() + (limits.empty() ? "" : "\n" + limits.text());
}

std::string params_in_words(const OpSpec& spec) {
  Table table({{"parameter"}, {"kind", Fit::text}, {"default"}, {"meaning", Fit::text}});
  for (const ParamSpec& param : params_of(spec)) {
    std::string kind(kind_of(param));
    if (!param.allowed.empty()) kind = joined(param.allowed);
    if (param.takes_index) kind += ", 0, 1, …";
    table.add({{param.name},
               {kind},
               {param.fallback ? to_text(*param.fallback) : "(required)"},
               {param.doc}});
  }
  std::string text = table.text();
  for (const Requirement& requirement : spec.requirements)
    text += fmt::format("required: {} ({})\n", requirement.condition, requirement.message);
  return text;
}

std::string cost_in_words(const OpSpec& spec) {
  std::string text = "cost of a launch, its algorithmic minimum:\n";
  for (const std::string& direction : directions_of(spec))
    text += fmt::format("  {:8}  flops  {}\n            bytes  {}\n", direction,
                        cost_of(spec, direction).flops, cost_of(spec, direction).bytes);
  return text;
}

std::string verification_in_words(const OpSpec& spec) {
  std::string text = "checked against the reference: " + checked_in_words(spec) + "\n";
  text += "tolerance, relative L2 error and, below it, of an element over |expected| + rms:\n";
  std::size_t width = 0;
  for (const DType dtype : spec.dtypes) width = std::max(width, info(dtype).name.size());
  for (const DType dtype : spec.dtypes) {
    const BoundsInWords words = bounds_in_words(spec, dtype);
    text += fmt::format("  {:{}}  {}\n", info(dtype).name, width, words.rel_l2);
    if (words.element != words.rel_l2)
      text += fmt::format("  {:{}}  {}\n", "", width, words.element);
  }
  return text;
}

std::string details(const CatalogueEntry& entry) {
  return fmt::format("{}: {} (revision {})\n\n{}\n{}\n{}{}", entry.spec.name, entry.spec.doc,
                     entry.spec.revision, implementations_in_words(entry),
                     params_in_words(entry.spec), cost_in_words(entry.spec),
                     verification_in_words(entry.spec));
}

int ops(const OpsFlags& flags) {
  Catalogue catalogue = make_catalogue();
  if (!flags.op.empty()) {
    const CatalogueEntry* entry = find_op(catalogue, flags.op);
    if (!entry) {
      if (flags.op.find("::") != std::string::npos)
        throw Error(
            "'" + flags.op +
            "' is an operator of the dispatcher, not an op of the catalogue: its parameters "
            "are those that a suite gives it (op: " +
            flags.op + ", with args)");
      std::vector<std::string> names;
      for (const CatalogueEntry& known : catalogue) names.push_back(known.spec.name);
      const std::string near = nearest_name(flags.op, names);
      throw Error(
          "op '" + flags.op + "' is not in the catalogue" +
          (near.empty() ? "; there are: " + joined(names) : "; did you mean '" + near + "'?"));
    }
    catalogue = {CatalogueEntry(*entry)};
  }
  if (flags.json)
    print_result(as_json(catalogue));
  else
    print_result(flags.op.empty() ? overview(catalogue) : details(catalogue.front()));
  return kExitOk;
}

std::string schema_of(const std::string& kind) {
  if (kind == "suite") return suite_schema_json(make_catalogue());
  if (kind == "fleet") return fleet_rules_schema_json();
  return kind == "mapping" ? import_mapping_schema_json() : protocol_schema_json();
}

}  // namespace

Command ops_command() {
  return {"ops", "List the catalogue: op × backend × dtype × direction", [](CLI::App& app) {
            auto flags = std::make_shared<OpsFlags>();
            app.add_option("OP", flags->op,
                           "one op: parameters, what each backend takes, cost, tolerance");
            app.add_flag("--json", flags->json, "print a JSON list with everything");
            return Action([flags](const auto&) { return ops(*flags); });
          }};
}

Command schema_command() {
  return {"schema", "Print the JSON Schema of suite files, mappings, rules, or the worker protocol",
          [](CLI::App& app) {
            auto kind = std::make_shared<std::string>("suite");
            app.add_option(
                   "KIND", *kind,
                   "suite, mapping (of import csv --map), fleet (rules of fleet --rules), or "
                   "protocol (of workers) [suite]")
                ->type_name("suite|mapping|fleet|protocol")
                ->check(one_of({"suite", "mapping", "fleet", "protocol"}));
            return Action([kind](const auto&) {
              print_result(schema_of(*kind));
              return kExitOk;
            });
          }};
}

Command version_command() {
  return {"version", "Print the version", [](CLI::App&) {
            return Action([](const auto&) {
              print_result("plumbline " PLUMBLINE_VERSION "\n");
              return kExitOk;
            });
          }};
}

}  // namespace plumbline
