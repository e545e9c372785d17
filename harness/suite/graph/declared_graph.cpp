#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/graph_operations.h"
#include "suite/declared/declared_parts.h"
#include "suite/graph/graph_operation_shapes.h"
#include "suite/graph/graph_shapes.h"
#include "suite/graph/graph_values.h"
#include "suite/yaml/reader.h"
#include "suite/yaml/yaml_json.h"

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

void check_context(const YamlNode& graph) {
  const YamlEntry* const context = find_entry(graph, "context");
  if (!context || context->value->kind == YamlNode::Kind::null) return;
  if (context->value->kind != YamlNode::Kind::map)
    fail_on_kind(*context->value, "'context'", "a map, such as {compute_data_type: FLOAT}");
  std::vector<std::string> known;
  for (const GraphMember& member : graph_context_members()) known.push_back(member.name);
  for (const YamlEntry& entry : context->value->entries) {
    if (std::ranges::count(known, entry.key) == 0)
      fail_at(entry.at, "unknown key '" + entry.key + "' in the graph's context" +
                            allowed_names(entry.key, known));
  }
  check_members(*context->value, graph_context_members(), {}, "the graph's context");
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

/// The name of the tensor at a port; cudnn-frontend writes one with an assigned uid as a number,
/// and a number that is passed by value without a name as "".
std::string tensor_of(const YamlEntry& port) {
  const YamlNode& name = *port.value;
  const bool is_uid =
      name.kind == YamlNode::Kind::scalar && std::holds_alternative<std::int64_t>(name.value);
  const bool is_empty = name.kind == YamlNode::Kind::scalar && name.value == Value(std::string());
  return is_uid || is_empty ? name.text : read_text(name, "the tensor of '" + port.key + "'");
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
  std::vector<std::string> allowed = needed;
  allowed.insert(allowed.end(), more.begin(), more.end());
  for (const YamlEntry& port : ports.entries)
    if (std::ranges::count(allowed, port.key) == 0)
      fail_at(port.at, "'" + port.key + "' is none of the " + side + " of " + tag +
                           (allowed.empty() ? "" : allowed_names(port.key, allowed)));
  for (const YamlEntry& port : ports.entries) {
    const std::string name = tensor_of(port);
    if (tensors.contains(name)) continue;
    std::vector<std::string> known;
    for (const auto& [other, tensor] : tensors) known.push_back(other);
    fail_at(port.value->at,
            tag + ": there is no tensor '" + name + "'" + allowed_names(name, known));
  }
  return ports;
}

struct Reading {
  const YamlEntry* port;
  std::size_t reader;
};

/// In the order of their readers.
using Readings = std::vector<Reading>;

/// 0, 2, 0, where the operation `start` waits for itself; none where it does not. Each operation is
/// looked at once.
std::vector<std::size_t> cycle_through(std::size_t start, const Readings& readings,
                                       const Tensors& tensors) {
  std::map<std::size_t, std::size_t> waiting_for_it;  // operation -> one that reads what it writes
  std::vector<std::size_t> open{start};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    for (const Reading& reading : std::ranges::equal_range(readings, at, {}, &Reading::reader)) {
      const std::size_t writer = tensors.at(reading.port->value->text).writer;
      if (writer == kNobody || !waiting_for_it.emplace(writer, at).second) continue;
      if (writer != start) {
        open.push_back(writer);
        continue;
      }
      std::vector<std::size_t> steps{start};
      do steps.push_back(waiting_for_it.at(steps.back()));
      while (steps.back() != start);
      std::ranges::reverse(steps);
      return steps;
    }
  }
  return {};
}

/// "0 ← 1 ← 0"; of a long one the beginning and how long it is.
std::string cycle_in_words(const std::vector<std::size_t>& steps) {
  constexpr std::size_t kMostSteps = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(steps.size(), kMostSteps); ++i)
    text += (i > 0 ? " ← " : "") + std::to_string(steps[i]);
  if (steps.size() <= kMostSteps) return text;
  return text + " ← … (" + std::to_string(steps.size() - 1) + " operations)";
}

/// What is read is given with its dimensions, or computed before.
void check_readings(const Readings& readings, const Tensors& tensors) {
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
      if (!is_on(declared, "is_pass_by_value") && !has_items(declared, "stride"))
        fail_at(find_entry(declared, "dim")->at,
                "the tensor '" + name +
                    "' is read from memory and lacks 'stride', a number for each of its "
                    "dimensions; without gaps they are " +
                    sizes_in_words(contiguous(integers_of(*find_entry(declared, "dim")->value))));
      continue;
    }
    if (tensor.writer < reader) continue;
    if (const auto cycle = cycle_through(reader, readings, tensors); !cycle.empty())
      fail_at(port->value->at, "the operations wait for each other: " + cycle_in_words(cycle) +
                                   "; a graph has no cycles");
    fail_at(port->value->at, "operation " + std::to_string(reader) + " reads '" + name +
                                 "', which operation " + std::to_string(tensor.writer) +
                                 " computes after it; 'nodes' stand in the order in which they "
                                 "compute");
  }
}

void check_all_used(const Tensors& tensors) {
  for (const auto& [name, tensor] : tensors) {
    if (has_items(*tensor.entry->value, "stride") && !has_items(*tensor.entry->value, "dim"))
      fail_at(tensor.entry->at, "the tensor '" + name + "' has 'stride' and lacks 'dim'");
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
  Readings readings;
  GraphShapes shapes(declared);
  for (std::size_t i = 0; i < nodes.items.size(); ++i) {
    const YamlNode& node = *nodes.items[i];
    const GraphOperation& kind = operation_of(node);
    check_members(node, kind.members, {"tag", "name", "inputs", "outputs"}, kind.tag);
    if (const YamlEntry* name = find_entry(node, "name")) check_any_text(*name);
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
      if (is_on(*tensor.entry->value, "is_pass_by_value"))
        fail_at(port.value->at, "the tensor '" + port.value->text + "' is passed by value, and " +
                                    kind.tag + " writes it; what is written is in memory");
      tensor.writer = i;
    }
    shapes.check(kind, node);
  }
  check_readings(readings, tensors);
  check_all_used(tensors);
  for (const auto& [name, tensor] : tensors)
    if (tensor.writer != kNobody && !is_on(*tensor.entry->value, "is_virtual"))
      check_written(*tensor.entry);
}

/// The text of a checked graph. Names of tensors are texts, and members that say nothing are left
/// out, as no reader of the text has to know them.
std::string text_of(const YamlNode& graph) {
  nlohmann::json json = to_json(graph);
  for (nlohmann::json& node : json.at("nodes")) {
    for (const char* side : {"inputs", "outputs"})
      for (auto& [port, tensor] : node.at(side).items())
        if (!tensor.is_string()) tensor = tensor.dump();
    for (const GraphMember& member :
         find_graph_operation(node.at("tag").get<std::string>())->members)
      if (member.value == GraphValue::off) node.erase(member.name);
  }
  return json.dump();
}

std::string checked(const YamlNode& graph) {
  if (graph.kind != YamlNode::Kind::map)
    fail_on_kind(graph, "a graph", "a map with 'tensors' and 'nodes'");
  check_graph(graph);
  return text_of(graph);
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
