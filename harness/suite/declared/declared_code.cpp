#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "suite/declared/declared_parts.h"
#include "suite/yaml/file_limits.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kLaunchExample =
    "; for example launch: {grid: \"ceil_div(n, 256)\", block: 256}";

/// The expressions of a list, or a single expression.
std::vector<std::string> read_expressions(const YamlPtr& node, const std::string& key,
                                          const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const YamlPtr& item : read_items(node, "'" + key + "'")) {
    const std::string text = read_expression_text(*item, "an item of '" + key + "'");
    check_names(*parse_expression_at(*item, text), item->at, text, names, kQuoteHint);
    texts.push_back(text);
  }
  return texts;
}

NamedExpressions read_named(const YamlEntry& entry, const std::string& what,
                            const std::vector<std::string>& names) {
  if (entry.value->kind != YamlNode::Kind::map)
    fail_on_kind(*entry.value, "'" + entry.key + "'", "a map: " + what + ": expression");
  NamedExpressions pairs;
  for (const YamlEntry& item : entry.value->entries) {
    if (!is_word(item.key))
      fail_at(item.at, "found '" + item.key + "' as " + what + "; it is letters, digits, '_'");
    pairs.emplace_back(item.key, read_expression(*entry.value, item.key, names, kQuoteHint));
  }
  return pairs;
}

std::vector<std::string> read_dimensions(const YamlNode& launch, const std::string& key,
                                         const std::vector<std::string>& names) {
  const YamlPtr& node = required(launch, key, "'launch'", kLaunchExample);
  const std::vector<std::string> sizes = read_expressions(node, key, names);
  if (sizes.size() > 3)
    fail_at(node->at, "found " + std::to_string(sizes.size()) + " sizes; '" + key +
                          "' has one to three: x, y, z");
  return sizes;
}

std::vector<std::string> read_options(const YamlEntry& entry) {
  std::vector<std::string> options;
  for (const YamlPtr& item : read_items(entry.value, "'options'")) {
    const std::string option = read_text(*item, "an option of NVRTC");
    if (!option.starts_with('-'))
      fail_at(item->at, "found '" + option + "'; an option of NVRTC begins with '-'");
    if (option.starts_with("-arch") || option.starts_with("--gpu-architecture"))
      fail_at(item->at, "found '" + option + "'; kernels are compiled for the device at hand");
    options.push_back(option);
  }
  return options;
}

/// The numbers, texts and booleans in a compiler's JSON, as `metadata.<name>`.
Params read_metadata(const YamlNode& benchmark) {
  const std::string path = read_file_path(benchmark, "metadata");
  const YamlPlace& at = find_entry(benchmark, "metadata")->value->at;
  std::ifstream file(path, std::ios::binary);
  const Json json = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) fail_at(at, "the file of 'metadata' must hold a JSON object");
  Params constants;
  for (const auto& [key, value] : json.items()) {
    const std::string name = "metadata." + key;
    if (value.is_boolean()) constants[name] = value.get<bool>();
    if (value.is_number_integer()) constants[name] = value.get<std::int64_t>();
    if (value.is_number_float()) constants[name] = value.get<double>();
    if (value.is_string()) constants[name] = value.get<std::string>();
  }
  return constants;
}

/// The kernel's name, or that in the metadata if the suite gives none.
std::string read_entry(const YamlNode& benchmark, const KernelCode& kernel) {
  const auto known = kernel.constants.find("metadata.name");
  const bool has_known =
      known != kernel.constants.end() && std::holds_alternative<std::string>(known->second);
  if (has_known && !find_entry(benchmark, "entry")) return std::get<std::string>(known->second);
  const YamlNode& entry =
      *required(benchmark, "entry", "the benchmark of kernel", "; for example entry: bias_gelu");
  const std::string name = read_text(entry, "'entry'");
  if (name.find_first_of("<>(), ") != std::string::npos)
    fail_at(entry.at, "found '" + name +
                          "'; 'entry' is the kernel's name alone, template arguments stand under "
                          "'template'");
  return name;
}

void check_compiled_already(const YamlNode& benchmark, const KernelCode& kernel) {
  const bool is_binary = !is_source(kernel);
  for (const char* key : {"template", "defines", "options", "metadata"}) {
    const YamlEntry* entry = find_entry(benchmark, key);
    if (entry && is_binary != (entry->key == "metadata"))
      fail_at(entry->at, "found '" + entry->key + "' beside " +
                             (is_binary ? "a binary, which is compiled already"
                                        : "CUDA source; it goes with a .ptx or .cubin"));
  }
}

std::vector<std::string> with_constants(std::vector<std::string> names, const Params& constants) {
  for (const auto& [name, value] : constants) names.push_back(name);
  return names;
}

/// A function name, such as fused_add or Block.forward.
std::string read_function(const YamlNode& node) {
  const std::string text = read_text(node, "the name of a function");
  std::stringstream words(text + '.');
  for (std::string word; std::getline(words, word, '.');)
    if (!is_word(word))
      fail_at(node.at, "found '" + text +
                           "'; a function of the source is named by letters, digits, "
                           "'_', with dots inside classes");
  return text;
}

}  // namespace

std::string read_file_path(const YamlNode& benchmark, std::string_view key) {
  const YamlNode& node = *find_entry(benchmark, key)->value;
  const std::string text = read_text(node, "'" + std::string(key) + "'");
  const fs::path path = fs::path(node.at.file->path).parent_path() / text;
  if (const std::string mistake = naming_mistake(*node.at.file, path); !mistake.empty())
    fail_at(node.at, "found '" + text + "': " + mistake);
  std::error_code problem;  // such as a name that is too long
  if (!fs::is_regular_file(path, problem))
    fail_at(node.at, "there is no file '" + text + "'; '" + std::string(key) +
                         "' is a path from the suite's folder" +
                         (key == "library" ? "; if it is built, build it first (`ab` and `check` "
                                             "run `build:` of plumbline.yaml, `run` does not)"
                                           : ""));
  return fs::absolute(path).lexically_normal().string();
}

KernelCode read_kernel(const YamlNode& benchmark, const std::vector<std::string>& params) {
  const std::string what = "the benchmark of kernel";
  KernelCode kernel;
  const YamlNode& source =
      *required(benchmark, "source", what, "; for example source: kernels/bias_gelu.cu");
  kernel.source = read_file_path(benchmark, "source");
  if (kernel.source.ends_with(".fatbin"))
    fail_at(source.at,
            "found '" + fs::path(kernel.source).filename().string() +
                "', code for several GPUs in one; 'source' is CUDA source, .ptx or .cubin: extract "
                "one of them with cuobjdump -xelf all or -xptx all");
  check_compiled_already(benchmark, kernel);
  if (find_entry(benchmark, "metadata")) kernel.constants = read_metadata(benchmark);
  kernel.entry = read_entry(benchmark, kernel);
  const std::vector<std::string> names = with_constants(params, kernel.constants);
  if (const YamlEntry* entry = find_entry(benchmark, "template"))
    kernel.template_args = read_expressions(entry->value, entry->key, names);
  if (const YamlEntry* entry = find_entry(benchmark, "defines"))
    kernel.defines = read_named(*entry, "a macro", names);
  if (const YamlEntry* entry = find_entry(benchmark, "options"))
    kernel.options = read_options(*entry);
  const YamlNode& launch = *required(benchmark, "launch", what, kLaunchExample);
  check_keys(launch, kLaunchKeys, "'launch'");
  kernel.grid = read_dimensions(launch, "grid", names);
  kernel.block = read_dimensions(launch, "block", names);
  kernel.shared = read_expression(launch, "shared", names, "");
  if (find_entry(launch, "cluster")) kernel.cluster = read_dimensions(launch, "cluster", names);
  kernel.cooperative = read_expression(launch, "cooperative", names, "");
  kernel.dependent = read_expression(launch, "dependent", names, "");
  return kernel;
}

PluginCode read_plugin(const YamlNode& benchmark, const std::vector<std::string>& params) {
  const std::string what = "the benchmark of plugin";
  PluginCode plugin;
  required(benchmark, "library", what, "; for example library: build/libours.so");
  plugin.library = read_file_path(benchmark, "library");
  plugin.function = read_text(
      *required(benchmark, "function", what, "; for example function: scale, an op of the plug-in"),
      "'function'");
  if (const YamlEntry* entry = find_entry(benchmark, "params"))
    plugin.params = read_named(*entry, "a parameter", params);
  return plugin;
}

namespace {

/// Source and function of an op in Python.
PythonCode read_code_in_python(const YamlNode& benchmark, const std::string& op,
                               const std::string& source, const std::string& function) {
  const std::string what = "the benchmark of " + op;
  PythonCode python;
  const YamlNode& file = *required(benchmark, "source", what, "; for example source: " + source);
  python.source = read_file_path(benchmark, "source");
  if (!python.source.ends_with(".py"))
    fail_at(file.at, "found '" + file.text + "'; 'source' of op: " + op + " is a file .py" +
                         (op == "module" ? ", .pt (TorchScript) or .pt2 (AOTInductor)" : ""));
  python.function =
      read_function(*required(benchmark, "function", what, "; for example function: " + function));
  return python;
}

}  // namespace

PythonCode read_python(const YamlNode& benchmark) {
  PythonCode python = read_code_in_python(benchmark, "python", "ops.py", "fused_add");
  if (const YamlEntry* entry = find_entry(benchmark, "reference_function")) {
    python.reference_function = read_function(*entry->value);
    if (find_entry(benchmark, "reference"))
      fail_at(entry->at,
              "found 'reference_function' beside 'reference'; one of them says what is "
              "expected");
  }
  return python;
}

namespace {

NamedExpressions read_serve(const YamlEntry& entry, const std::vector<std::string>& params) {
  NamedExpressions serve = read_named(entry, "what is served", params);
  check_keys(*entry.value, kServeKeys, "'serve'");
  required(*entry.value, "requests", "'serve'", "; for example requests: 1000");
  return serve;
}

/// Keys of networks that a function in Python makes.
constexpr std::string_view kOnlyInPython[] = {"function", "with", "loss", "accuracy", "serve"};

bool is_script(const std::string& path) { return path.ends_with(".pt"); }

}  // namespace

bool is_saved_network(const YamlNode& benchmark) {
  const YamlEntry* const source = find_entry(benchmark, "source");
  return source != nullptr && source->value->kind == YamlNode::Kind::scalar &&
         (is_script(source->value->text) || source->value->text.ends_with(".pt2"));
}

NetworkFile read_saved_network(const YamlNode& benchmark) {
  for (const std::string_view key : kOnlyInPython)
    if (const YamlEntry* const entry = find_entry(benchmark, key))
      fail_at(entry->at, "found '" + std::string(key) +
                             "' beside a network in a file; this key is for networks that a "
                             "function makes (source: a file .py)");
  NetworkFile network{read_file_path(benchmark, "source"), ""};
  if (const YamlEntry* const entry = find_entry(benchmark, "reference_source")) {
    network.reference = read_file_path(benchmark, "reference_source");
    if (!is_script(network.reference))
      fail_at(entry->value->at,
              "found '" + entry->value->text + "'; 'reference_source' is TorchScript, a file .pt");
    if (find_entry(benchmark, "reference"))
      fail_at(entry->at,
              "found 'reference_source' beside 'reference'; one of them says what is expected");
  }
  return network;
}

PythonCode read_module(const YamlNode& benchmark, const std::vector<std::string>& params) {
  PythonCode python = read_code_in_python(benchmark, "module", "networks/resnet.py",
                                          "resnet50, which makes a torch.nn.Module");
  if (const YamlEntry* const entry = find_entry(benchmark, "reference_source"))
    fail_at(entry->at,
            "found 'reference_source' beside a source in Python, whose reference is the same "
            "network in float64; this key is for a source .pt or .pt2");
  ModuleCode& module = python.module.emplace();
  if (const YamlEntry* entry = find_entry(benchmark, "with"))
    module.with = read_named(*entry, "an argument", params);
  const YamlEntry* const loss = find_entry(benchmark, "loss");
  module.loss = loss ? read_function(*loss->value) : "loss";
  if (const YamlEntry* entry = find_entry(benchmark, "accuracy"))
    module.accuracy = read_function(*entry->value);
  if (const YamlEntry* entry = find_entry(benchmark, "serve"))
    module.serve = read_serve(*entry, params);
  return python;
}

}  // namespace plumbline
