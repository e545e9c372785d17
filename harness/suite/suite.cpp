#include "suite/suite.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "core/error.h"
#include "core/suite_name.h"
#include "core/uninterrupted.h"
#include "suite/benchmark.h"
#include "suite/policy_reader.h"
#include "suite/recorded_steps.h"
#include "suite/schema/keys.h"
#include "suite/shapes.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

/// Axis values from the command line, and the texts that their places refer to.
class Overrides {
 public:
  explicit Overrides(const std::vector<std::pair<std::string, std::string>>& set) {
    for (const auto& [axis, text] : set) {
      const std::string flag = "--set " + axis + "=" + text;
      const bool is_given = std::ranges::find(axes, axis, &AxisOverride::axis) != axes.end();
      if (is_given) throw Error(flag + ": the axis '" + axis + "' is set twice; give a list");
      const bool is_yaml = text.starts_with('[') || text.starts_with('{');
      files_.push_back(
          std::make_unique<YamlFile>(YamlFile{flag, is_yaml ? text : "[" + text + "]", false}));
      axes.push_back({axis, parse_yaml(*files_.back()), false});
    }
  }

  std::vector<AxisOverride> axes;

 private:
  std::vector<std::unique_ptr<YamlFile>> files_;
};

/// The end of a benchmark's cases in the list of all cases.
struct BenchmarkCases {
  YamlPlace at;
  std::size_t end;
};

void check_unique(const std::vector<Case>& cases, const std::vector<BenchmarkCases>& benchmarks) {
  const auto place_of = [&](std::size_t index) {
    return std::ranges::upper_bound(benchmarks, index, {}, &BenchmarkCases::end)->at;
  };
  std::unordered_map<std::string_view, std::size_t> seen;
  seen.reserve(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto [first, is_new] = seen.emplace(cases[i].id, i);
    if (is_new) continue;
    fail_at(place_of(i), "the case '" + cases[i].id +
                             "' is declared twice, by this benchmark (line " +
                             std::to_string(place_of(i).line) + ") and by the one on line " +
                             std::to_string(place_of(first->second).line) +
                             "; each case may stand once in a suite");
  }
}

void read_renames(const YamlNode& node, Suite& suite, bool is_whole) {
  if (node.kind != YamlNode::Kind::map)
    fail_on_kind(node, "'renames'", "a map: old case id: new case id");
  std::unordered_map<std::string_view, std::string_view> next;
  for (const YamlEntry& entry : node.entries) {
    suite.renames.emplace_back(entry.key, read_text(*entry.value, "the new case id"));
    next.emplace(entry.key, entry.value->text);
  }
  if (!is_whole) return;  // if axes are replaced, ids of the file's axes may be missing
  std::set<std::string_view> ids;
  for (const Case& c : suite.cases) ids.insert(c.id);
  for (const YamlEntry& entry : node.entries) {
    if (ids.contains(entry.key))
      fail_at(entry.at, "the case '" + entry.key + "' is renamed, but the suite still declares it");
    std::string_view id = entry.key;
    for (std::size_t steps = 0; next.contains(id); ++steps, id = next.at(id))
      if (steps > next.size()) fail_at(entry.at, "these renames form a cycle");
    if (!ids.contains(id))
      fail_at(entry.value->at, "'" + entry.key + "' is renamed to '" + std::string(id) +
                                   "', which is no case of this suite");
  }
}

std::set<std::string> axis_names(const YamlNode& benchmarks) {
  std::set<std::string> names{"backend"};
  for (const YamlPtr& benchmark : benchmarks.items)
    if (const YamlEntry* sweep = find_entry(*benchmark, "sweep"))
      for (const YamlEntry& axis : sweep->value->entries) names.insert(axis.key);
  return names;
}

/// Adds the benchmark's code file, if it has one.
void add_source(const Declaration& declaration, std::vector<FileRef>& sources) {
  const std::string path = declaration.kernel    ? declaration.kernel->source
                           : declaration.plugin  ? declaration.plugin->library
                           : declaration.python  ? declaration.python->source
                           : declaration.network ? declaration.network->source
                                                 : "";
  if (path.empty() || std::ranges::find(sources, path, &FileRef::path) != sources.end()) return;
  std::ifstream file;
  uninterrupted([&] {
    file.open(path, std::ios::binary);
    return file ? 0 : -1;
  });
  std::string bytes, chunk(1 << 16, '\0');
  while (file.read(chunk.data(), std::streamsize(chunk.size())) || file.gcount() > 0)
    bytes.append(chunk.data(), std::size_t(file.gcount()));
  if (!file.is_open() || file.bad()) throw Error(path + ": cannot be read");
  sources.push_back({path, stable_hash_text(bytes)});
}

/// Adds the files from which arguments take values. Their hashes are of the tensors that cases use.
void add_input_files(const std::vector<Case>& cases, std::vector<FileRef>& sources) {
  std::map<std::string, std::set<std::string>> contents;  // by path
  for (const Case& c : cases)
    if (c.declaration)
      for (const RecordedTensor& tensor : c.declaration->recorded)
        contents[tensor.path].insert(tensor.tensor + ' ' + tensor.hash);
  for (const auto& [path, tensors] : contents) {
    std::string text;
    for (const std::string& tensor : tensors) text += tensor + '\n';
    sources.push_back({path, stable_hash_text(text)});
  }
}

/// Whether the device meets the condition. An empty condition holds.
bool holds_on(const Params& device, const Condition& condition, const Case& c, const Suite& suite) {
  const auto look_up = [&](std::string_view name) -> std::optional<Value> {
    if (name == "backend") return c.backend;
    if (name == "op") return c.op;
    const Params& params = is_device_name(name) ? device : c.params;
    const auto found = params.find(name);
    return found == params.end() ? std::nullopt : std::optional<Value>(found->second);
  };
  try {
    return holds(condition, look_up);
  } catch (const Error& error) {
    throw Error(suite.path + ": the condition '" + condition.text +
                "' on the device: " + error.what());
  }
}

/// A folder of suites may hold a file of shapes by mistake; "lacks 'suite'" would not tell.
void refuse_shapes_only(const YamlNode& root) {
  if (find_entry(root, "shapes") && !find_entry(root, "suite") && !find_entry(root, "benchmarks"))
    fail_at(root.at,
            "this file has only shapes, so it is no suite; suites read it by shapes: {from: "
            "FILE}, and it belongs in a folder of its own");
}

std::string read_suite_name(const YamlNode& node) {
  std::string name = read_name(node, "'suite'");
  if (name.size() > kLongestSuiteName)
    fail_at(node.at, "found a name of " + std::to_string(name.size()) +
                         " characters; 'suite' has at most " + std::to_string(kLongestSuiteName) +
                         ", since files are named by it");
  return name;
}

}  // namespace

Suite load_suite(const std::string& path, const Catalogue& catalogue, const SuiteOptions& options) {
  return expand_suite(read_yaml_file(path), catalogue, options);
}

Suite expand_suite(const YamlFile& file, const Catalogue& catalogue, const SuiteOptions& options) {
  const YamlPtr root = parse_yaml(file);
  check_keys(*root, kSuiteKeys, "a suite");
  refuse_shapes_only(*root);
  Suite suite;
  suite.path = file.path;
  suite.hash = stable_hash_text(file.text);
  suite.name =
      read_suite_name(*required(*root, "suite", "this suite", "; for example suite: nightly"));
  if (const YamlEntry* description = find_entry(*root, "description"))
    suite.description = read_text(*description->value, "'description'");
  Policy policy = options.policy_defaults;
  const YamlEntry* measure = find_entry(*root, "measure");
  if (measure) read_policy(*measure->value, policy);
  SuiteShapes shapes;
  if (const YamlEntry* entry = find_entry(*root, "shapes"))
    shapes = read_shapes(*entry->value, file);
  suite.shape_files = shapes.files;
  if (const YamlEntry* steps = find_entry(*root, "steps")) suite.steps = read_steps(*steps->value);
  const YamlNode& benchmarks = *required(*root, "benchmarks", "this suite",
                                         "; for example benchmarks: [{op: softmax, sweep: {…}}]");
  if (benchmarks.kind != YamlNode::Kind::list || benchmarks.items.empty())
    fail_on_kind(benchmarks, "'benchmarks'", "a list of at least one benchmark: - op: softmax");

  Overrides overrides(options.set);
  const BenchmarkContext context{
      catalogue,   options,       shapes.by_name, policy, measure ? measure->value.get() : nullptr,
      suite.steps, overrides.axes};
  std::vector<BenchmarkCases> ranges;
  for (const YamlPtr& node : benchmarks.items) {
    const Benchmark benchmark = read_benchmark(node, context);
    if (benchmark.declaration) add_source(*benchmark.declaration, suite.sources);
    expand(benchmark, suite);
    ranges.push_back({node->at, suite.cases.size()});
  }
  add_input_files(suite.cases, suite.sources);
  suite.axes = axis_names(benchmarks);
  for (const AxisOverride& override : overrides.axes)
    if (!override.is_used) suite.unused_axes.push_back(override.axis);
  check_unique(suite.cases, ranges);
  if (const YamlEntry* renames = find_entry(*root, "renames"))
    read_renames(*renames->value, suite, options.set.empty());
  return suite;
}

void check_axes_used(std::span<const Suite> suites, const SuiteOptions& options) {
  for (const auto& [axis, values] : options.set) {
    const auto lacks = [&](const Suite& suite) {
      return std::ranges::find(suite.unused_axes, axis) != suite.unused_axes.end();
    };
    if (!std::ranges::all_of(suites, lacks)) continue;
    std::string paths;
    std::set<std::string> known;
    for (const Suite& suite : suites) {
      paths += (paths.empty() ? "" : ", ") + suite.path;
      known.insert(suite.axes.begin(), suite.axes.end());
    }
    throw Error("--set " + axis + ": no benchmark of " + paths + " has an axis '" + axis + "'" +
                allowed_names(axis, {known.begin(), known.end()}));
  }
}

void apply_device_conditions(Suite& suite, const Params& device) {
  for (const DeviceRule& rule : suite.device_rules)
    for (const std::size_t index : rule.cases) {
      Case& c = suite.cases[index];
      std::string& reason = rule.is_limit ? c.unsupported : c.excluded;
      if (reason.empty() && holds_on(device, rule.condition, c, suite) == rule.excludes_if)
        reason = rule.reason;
    }
}

std::vector<ExpectedFailure> expected_failures(const Suite& suite, const Params& device) {
  std::vector<ExpectedFailure> expected;
  for (const Expectation& rule : suite.expectations)
    for (const std::size_t index : rule.cases) {
      const Case& c = suite.cases[index];
      if (c.excluded.empty() && holds_on(device, rule.condition, c, suite))
        expected.push_back({suite.name, c.id, rule.status, rule.reason, rule.at});
    }
  return expected;
}

}  // namespace plumbline
