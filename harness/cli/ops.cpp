/// plumbline ops, schema, version: what this program knows without a worker.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/choice.h"
#include "cli/command.h"
#include "cli/console.h"
#include "core/error.h"
#include "core/expression.h"
#include "ops/catalogue.h"
#include "suite/import_mapping_schema.h"
#include "suite/schema.h"

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

std::vector<std::string> dtype_names(const OpSpec& spec) {
  std::vector<std::string> names;
  for (const DType dtype : spec.dtypes) names.emplace_back(info(dtype).name);
  return names;
}

constexpr std::string_view kKinds[] = {"boolean", "integer", "number", "text"};

std::string_view kind_of(const ParamSpec& param) {
  return kKinds[static_cast<std::size_t>(param.kind)];
}

std::vector<ParamSpec> params_of(const OpSpec& spec) {
  std::vector<ParamSpec> params = spec.params;
  params.insert(params.end(), common_params().begin(), common_params().end());
  return params;
}

std::string as_json(const Catalogue& catalogue) {
  Json list = Json::array();
  for (const CatalogueEntry& entry : catalogue) {
    Json params = Json::array();
    for (const ParamSpec& param : params_of(entry.spec)) {
      Json item{{"name", param.name}, {"kind", kind_of(param)}, {"doc", param.doc}};
      if (param.fallback)
        std::visit([&](const auto& value) { item["default"] = value; }, *param.fallback);
      if (!param.allowed.empty()) item["allowed"] = param.allowed;
      if (param.takes_index) item["takes_index"] = true;
      params.push_back(item);
    }
    list.push_back({{"op", entry.spec.name},
                    {"doc", entry.spec.doc},
                    {"revision", entry.spec.revision},
                    {"backends", entry.backends},
                    {"dtypes", dtype_names(entry.spec)},
                    {"backward", entry.spec.has_backward},
                    {"params", params}});
  }
  return list.dump(1) + "\n";
}

std::string overview(const Catalogue& catalogue) {
  Table table({"op", "backends", "dtypes", "backward", "what it computes"});
  for (const CatalogueEntry& entry : catalogue)
    table.add({{entry.spec.name},
               {joined(entry.backends)},
               {joined(dtype_names(entry.spec))},
               {entry.spec.has_backward ? "yes" : "no"},
               {entry.spec.doc}});
  return table.text() +
         "\nand every operator of the dispatcher as `op: aten::…` (see `plumbline list`)\n";
}

std::string details(const CatalogueEntry& entry) {
  std::string text =
      fmt::format("{}: {}\nbackends: {}\ndtypes:   {}\nbackward: {}\n\n", entry.spec.name,
                  entry.spec.doc, joined(entry.backends), joined(dtype_names(entry.spec)),
                  entry.spec.has_backward ? "yes" : "no");
  Table table({"parameter", "kind", "default", "meaning"});
  for (const ParamSpec& param : params_of(entry.spec)) {
    std::string kind(kind_of(param));
    if (!param.allowed.empty()) kind = joined(param.allowed);
    if (param.takes_index) kind += ", 0, 1, …";
    table.add({{param.name},
               {kind},
               {param.fallback ? to_text(*param.fallback) : "(required)"},
               {param.doc}});
  }
  return text + table.text();
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

}  // namespace

Command ops_command() {
  return {"ops", "The catalogue: op, backends, dtypes, parameters", [](CLI::App& app) {
            auto flags = std::make_shared<OpsFlags>();
            app.add_option("OP", flags->op, "one op, with its parameters");
            app.add_flag("--json", flags->json, "as a JSON list, with all parameters");
            return Action([flags](const auto&) { return ops(*flags); });
          }};
}

Command schema_command() {
  return {"schema", "The JSON Schema of suite files or of mappings, for editors",
          [](CLI::App& app) {
            auto of = std::make_shared<std::string>("suite");
            app.add_option("KIND", *of, "suite, or mapping: of import csv --map [suite]")
                ->type_name("suite|mapping")
                ->check(one_of({"suite", "mapping"}));
            return Action([of](const auto&) {
              print_result(*of == "suite" ? suite_schema_json(make_catalogue())
                                          : import_mapping_schema_json());
              return kExitOk;
            });
          }};
}

Command version_command() {
  return {"version", "The version of this program", [](CLI::App&) {
            return Action([](const auto&) {
              print_result("plumbline " PLUMBLINE_VERSION "\n");
              return kExitOk;
            });
          }};
}

}  // namespace plumbline
