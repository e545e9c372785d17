#include <array>

#include "core/error.h"
#include "core/expression/expression.h"
#include "fuzz/targets.h"
#include "ops/catalogue.h"
#include "suite/project_file.h"
#include "suite/select.h"
#include "suite/suite.h"
#include "workflow/fleet/rule_file.h"

namespace plumbline::fuzz {
namespace {

const Catalogue& catalogue() {
  static const Catalogue all = make_catalogue();
  return all;
}

const Params& device() {
  static const Params gpu = {{"device.kind", "cuda"},
                             {"device.memory", std::int64_t{150'000'000'000}},
                             {"device.model", "nvidia-h200"},
                             {"device.units", std::int64_t{132}}};
  return gpu;
}

/// The inputs name these files: code, what a compiler says of it, networks, a graph.
void write_named_files(const std::string& folder) {
  for (const char* name : {"k.cu", "k.ptx", "m.py", "l.so", "i.bin", "n.pt", "n.pt2"})
    written(folder, name, "x");
  written(folder, "k.json", R"({"name": "k", "num_warps": 4, "shared": 0, "dtype": "fp16"})");
  written(
      folder, "g.json",
      R"({"tensors": {"x": {"dim": [8], "stride": [1]}, "y": {}}, "nodes": [{"tag": "POINTWISE",)"
      R"("mode": "EXP", "inputs": {"IN_0": "x"}, "outputs": {"OUT_0": "y"}}]})");
}

void read_suite(std::string_view input, const std::string& folder) {
  write_named_files(folder);
  Suite suite = load_suite(written(folder, "suite.yaml", input), catalogue(), {});
  for (const Case& one : suite.cases) demand(!one.id.empty(), "a case has an id");
  apply_device_conditions(suite, device());
  expected_failures(suite, device());
}

/// A filter or = and a case, an axis, its values, a policy field and its text: a line each.
void read_flags(std::string_view input, const std::string&) {
  static const YamlFile file{"suite.yaml",
                             "suite: s\nbenchmarks:\n  - op: gemm\n    sweep: {m: [1, 2], n: 4, k: "
                             "4, dtype: [float32]}\n"};
  const std::vector<std::string> lines = parts(input, 6, "\n");
  SuiteOptions options;
  if (!lines[1].empty()) options.set = {{lines[1], lines[2]}};
  if (!lines[3].empty()) options.policy_overrides = {{lines[3], lines[4]}};
  const Suite suite = expand_suite(file, catalogue(), options);
  check_axes_used(std::array{suite}, options);
  if (lines[0].starts_with('='))
    select(suite.cases, {{}, {}, {lines[0].substr(1)}});
  else
    select(suite.cases, {{lines[0]}, {}, {}});
}

void read_expression(std::string_view input, const std::string&) {
  static const Params params = {
      {"n", std::int64_t{12}}, {"x", 0.5}, {"dtype", "float16"}, {"flag", true}};
  const ExpressionPtr expression = parse_expression(input);
  is_operator_call(*expression);
  nearest_name(input, names_in(*expression));
  evaluate(*expression, params);
}

void read_project(std::string_view input, const std::string& folder) {
  read_project_file(written(folder, "plumbline.yaml", input));
}

void read_rules(std::string_view input, const std::string& folder) {
  read_fleet_rules(written(folder, "rules.yaml", input));
}

}  // namespace

std::span<const Target> suite_targets() {
  static constexpr std::array kTargets = {
      Target{"suite", read_suite, {Grammar::yaml}}, Target{"flags", read_flags},
      Target{"expression", read_expression}, Target{"project", read_project, {Grammar::yaml}},
      Target{"fleet_rules", read_rules, {Grammar::yaml}}};
  return kTargets;
}

}  // namespace plumbline::fuzz
