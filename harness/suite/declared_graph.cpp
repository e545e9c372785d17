#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/graph_operations.h"
#include "suite/declared_parts.h"
#include "suite/graph_values.h"
#include "suite/reader.h"
#include "suite/yaml_json.h"

namespace plumbline {
namespace {

constexpr std::size_t kNobody = std::size_t(-1);

/// A tensor of the graph, and the operations that write and read it.
struct Tensor {
  const YamlEntry* entry = nullptr;
  std::size_t writer = kNobody;
  bool is_read = false;
};

using Tensors = std::map<std::string, Tensor>;

const YamlEntry& required(const YamlNode& map, std::string_view key, const std::string& what,
                          YamlNode::Kind kind) {
  const bool is_map = kind == YamlNode::Kind::map;
  const YamlEntry* entry = find_entry(map, key);
  if (!entry)
    fail_at(map.at, what + " lacks '" + std::string(key) + "', " + (is_map ? "a map" : "a list"));
  if (entry->value->kind != kind)
    fail_on_kind(*entry->value, "'" + entry->key + "'", is_map ? "a map" : "a list");
  return *entry;
}

bool is_on(const YamlNode& map, std::string_view key) {
  const YamlEntry* entry = find_entry(map, key);
  return entry && entry->value->kind == YamlNode::Kind::scalar &&
         entry->value->value == Value(true);
}

bool has_items(const YamlNode& map, std::string_view key) {
  const YamlEntry* entry = find_entry(map, key);
  return entry && !entry->value->items.empty();
}

/// A type that is not given, or is null, is the case's dtype or cuDNN's to choose.
void check_data_type(const YamlEntry& entry) {
  const YamlNode& type = *entry.value;
  if (type.kind == YamlNode::Kind::null) return;
  const bool is_known =
      type.kind == YamlNode::Kind::scalar && std::ranges::count(graph_data_types(), type.text) > 0;
  if (!is_known)
    fail_at(type.at, "'" + entry.key + "' is " + in_words(type) + ", which is no data type" +
                         allowed_names(type.text, graph_data_types()));
}

void check_context(const YamlNode& graph) {
  const YamlEntry* const context = find_entry(graph, "context");
  if (!context || context->value->kind == YamlNode::Kind::null) return;
  if (context->value->kind != YamlNode::Kind::map)
    fail_on_kind(*context->value, "'context'", "a map, such as {compute_data_type: FLOAT}");
  for (const YamlEntry& entry : context->value->entries) {
    if (std::ranges::count(graph_context_members(), entry.key) == 0)
      fail_at(entry.at, "unknown key '" + entry.key + "' in the graph's context" +
                            allowed_names(entry.key, graph_context_members()));
    if (entry.key.ends_with("data_type")) check_data_type(entry);
  }
}

Tensors read_tensors(const YamlNode& declared) {
  Tensors tensors;
  for (const YamlEntry& entry : declared.entries) {
    check_tensor(entry);
    tensors[entry.key].entry = &entry;
  }
  check_uids(declared);
  return tensors;
}

const GraphOperation& operation_of(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::map) fail_on_kind(node, "an operation", "a map with a 'tag'");
  const YamlEntry* tag = find_entry(node, "tag");
  if (!tag) fail_at(node.at, "this operation lacks 'tag', its name, such as MATMUL");
  const std::string name = read_text(*tag->value, "'tag'");
  if (const GraphOperation* operation = find_graph_operation(name)) return *operation;
  std::vector<std::string> known;
  for (const GraphOperation& operation : graph_operations()) known.push_back(operation.tag);
  fail_at(tag->value->at, "unknown operation '" + name + "'" + allowed_names(name, known));
}

/// The ports of one side, each with a tensor that there is.
const YamlNode& ports_of(const YamlNode& node, const char* side,
                         const std::vector<std::string>& needed,
                         const std::vector<std::string>& more, const std::string& tag,
                         const Tensors& tensors) {
  const YamlNode& ports = *required(node, side, tag, YamlNode::Kind::map).value;
  for (const std::string& port : needed)
    if (!find_entry(ports, port))
      fail_at(ports.at,
              tag + " lacks '" + port + "' among its " + side + "; it needs: " + joined(needed));
  std::vector<std::string> allowed = needed, known;
  allowed.insert(allowed.end(), more.begin(), more.end());
  for (const YamlEntry& port : ports.entries)
    if (std::ranges::count(allowed, port.key) == 0)
      fail_at(port.at, "'" + port.key + "' is none of the " + side + " of " + tag +
                           (allowed.empty() ? "" : allowed_names(port.key, allowed)));
  for (const auto& [name, tensor] : tensors) known.push_back(name);
  for (const YamlEntry& port : ports.entries)
    if (const std::string name = read_text(*port.value, "the tensor of '" + port.key + "'");
        !tensors.contains(name))
      fail_at(port.value->at,
              tag + ": there is no tensor '" + name + "'" + allowed_names(name, known));
  return ports;
}

struct Reading {
  const YamlEntry* port;
  std::size_t reader;
};

/// 0 → 2 → 0, where the operation `at` waits for itself; "" where it does not.
std::string cycle_through(std::size_t at, const std::vector<Reading>& readings,
                          const Tensors& tensors, std::size_t start, std::vector<bool>& seen) {
  for (const Reading& reading : readings) {
    if (reading.reader != at) continue;
    const std::size_t writer = tensors.at(reading.port->value->text).writer;
    if (writer == kNobody) continue;
    const std::string step = " ← " + std::to_string(writer);
    if (writer == start) return step;
    if (seen[writer]) continue;
    seen[writer] = true;
    if (const std::string rest = cycle_through(writer, readings, tensors, start, seen);
        !rest.empty())
      return step + rest;
  }
  return "";
}

/// What is read is given with its dimensions, or computed before.
void check_readings(const std::vector<Reading>& readings, std::size_t operations,
                    const Tensors& tensors) {
  for (const auto& [port, reader] : readings) {
    const std::string& name = port->value->text;
    const Tensor& tensor = tensors.at(name);
    const YamlNode& declared = *tensor.entry->value;
    if (tensor.writer == kNobody) {
      if (is_on(declared, "is_virtual"))
        fail_at(port->value->at,
                "the tensor '" + name + "' is virtual, and no operation computes it");
      if (!is_on(declared, "is_pass_by_value") && !has_items(declared, "dim"))
        fail_at(tensor.entry->at, "the tensor '" + name +
                                      "' is read from memory and lacks 'dim', its dimensions: "
                                      "{dim: [8, 64], stride: [64, 1]}");
      continue;
    }
    if (tensor.writer < reader) continue;
    std::vector<bool> seen(operations, false);
    const std::string cycle = cycle_through(reader, readings, tensors, reader, seen);
    if (!cycle.empty())
      fail_at(port->value->at, "the operations wait for each other: " + std::to_string(reader) +
                                   cycle + "; a graph has no cycles");
    fail_at(port->value->at, "operation " + std::to_string(reader) + " reads '" + name +
                                 "', which operation " + std::to_string(tensor.writer) +
                                 " computes after it; 'nodes' stand in the order in which they "
                                 "compute");
  }
}

void check_all_used(const Tensors& tensors) {
  for (const auto& [name, tensor] : tensors) {
    if (tensor.writer == kNobody && !tensor.is_read)
      fail_at(tensor.entry->at, "the tensor '" + name + "' is in no operation");
    if (tensor.writer != kNobody && !tensor.is_read && is_on(*tensor.entry->value, "is_virtual"))
      fail_at(tensor.entry->at, "the tensor '" + name +
                                    "' is virtual, and what is computed for it is read by no "
                                    "operation; without 'is_virtual' it is a result");
  }
}

/// Operations, ports and tensors belong together. What cuDNN makes of it, it says itself.
void check_graph(const YamlNode& graph) {
  for (const YamlEntry& entry : graph.entries)
    if (std::ranges::find(graph_members(), entry.key) == graph_members().end())
      fail_at(entry.at, "unknown key '" + entry.key + "' in the graph" +
                            allowed_names(entry.key, graph_members()));
  check_context(graph);
  const YamlNode& declared = *required(graph, "tensors", "the graph", YamlNode::Kind::map).value;
  Tensors tensors = read_tensors(declared);
  const YamlNode& nodes = *required(graph, "nodes", "the graph", YamlNode::Kind::list).value;
  if (nodes.items.empty()) fail_at(nodes.at, "the graph has no operation: 'nodes' is empty");
  std::vector<Reading> readings;
  for (std::size_t i = 0; i < nodes.items.size(); ++i) {
    const YamlNode& node = *nodes.items[i];
    const GraphOperation& kind = operation_of(node);
    check_members(node, kind.members, {"tag", "name", "inputs", "outputs"}, kind.tag);
    // A pointwise operation has those of its mode, and no others.
    const bool is_pointwise = kind.tag == "POINTWISE";
    const auto& inputs =
        ports_of(node, "inputs", inputs_of(kind, node),
                 is_pointwise ? std::vector<std::string>{} : kind.more_inputs, kind.tag, tensors);
    for (const YamlEntry& port : inputs.entries) {
      tensors.at(port.value->text).is_read = true;
      readings.push_back({&port, i});
    }
    const auto& outputs =
        ports_of(node, "outputs", kind.outputs, kind.more_outputs, kind.tag, tensors);
    for (const YamlEntry& port : outputs.entries) {
      Tensor& tensor = tensors.at(port.value->text);
      if (tensor.writer != kNobody)
        fail_at(port.value->at, "the tensor '" + port.value->text + "' is computed by operation " +
                                    std::to_string(tensor.writer) + " already");
      tensor.writer = i;
    }
    check_shapes(kind, node, declared);
  }
  check_readings(readings, nodes.items.size(), tensors);
  check_all_used(tensors);
  for (const auto& [name, tensor] : tensors)
    if (tensor.writer != kNobody && !is_on(*tensor.entry->value, "is_virtual"))
      check_written(*tensor.entry);
}

std::string checked(const YamlNode& graph) {
  if (graph.kind != YamlNode::Kind::map)
    fail_on_kind(graph, "a graph", "a map with 'tensors' and 'nodes'");
  check_graph(graph);
  return to_json(graph).dump();
}

}  // namespace

std::string read_graph(const YamlNode& benchmark) {
  const YamlEntry* entry = find_entry(benchmark, "graph");
  if (!entry)
    fail_at(benchmark.at,
            "the benchmark of cudnn.graph lacks 'graph', a file of cudnn-frontend's JSON beside "
            "the suite, or the same here: graph: {context: {…}, tensors: {…}, nodes: [{…}]}");
  if (entry->value->kind == YamlNode::Kind::map) return checked(*entry->value);
  const YamlFile file = read_yaml_file(read_file_path(benchmark, "graph"));
  return checked(*parse_yaml(file));
}

}  // namespace plumbline
