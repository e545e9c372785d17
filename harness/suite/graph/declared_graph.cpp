#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/op/graph_operations.h"
#include "suite/declared/declared_parts.h"
#include "suite/graph/graph_values.h"
#include "suite/yaml/reader.h"
#include "suite/yaml/yaml_json.h"

namespace plumbline {
namespace {

/// A port of an operation, given by its index in `nodes`.
struct Use {
  std::size_t operation = 0;
  const YamlEntry* port = nullptr;  // nullptr: no such use
};

/// A tensor of the graph, the operation that writes it, and the first one that reads it.
struct Tensor {
  const YamlEntry* entry = nullptr;
  Use writer, reader;
};

using Tensors = std::map<std::string, Tensor>;

/// A required map or list of the graph.
const YamlNode& part_of(const YamlNode& map, const std::string& key, const std::string& what,
                        YamlNode::Kind kind) {
  const std::string wanted = kind == YamlNode::Kind::map ? "a map" : "a list";
  const YamlNode& value = *required(map, key, what, ", " + wanted);
  if (value.kind != kind) fail_on_kind(value, "'" + key + "'", wanted);
  return value;
}

const GraphOperation& operation_of(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::map) fail_on_kind(node, "an operation", "a map with a 'tag'");
  const YamlNode& tag = *required(node, "tag", "this operation", ", its name, such as MATMUL");
  const std::string name = read_text(tag, "'tag'");
  if (const GraphOperation* operation = find_graph_operation(name)) return *operation;
  std::vector<std::string> known;
  for (const GraphOperation& operation : graph_operations()) known.push_back(operation.tag);
  fail_at(tag.at, "unknown operation '" + name + "'" + allowed_names(name, known));
}

/// The ports of one side; it must have all `needed` ports and may have those in `more`.
const std::vector<YamlEntry>& ports_of(const YamlNode& node, const char* side,
                                       std::vector<std::string> needed,
                                       const std::vector<std::string>& more,
                                       const std::string& tag) {
  const YamlNode& ports = part_of(node, side, tag, YamlNode::Kind::map);
  for (const std::string& port : needed)
    if (!find_entry(ports, port))
      fail_at(ports.at,
              tag + " lacks '" + port + "' among its " + side + "; it needs: " + joined(needed));
  std::vector<std::string> allowed = std::move(needed);
  allowed.insert(allowed.end(), more.begin(), more.end());
  for (const YamlEntry& port : ports.entries)
    if (std::ranges::count(allowed, port.key) == 0)
      fail_at(port.at, "'" + port.key + "' is not one of the " + side + " of " + tag +
                           allowed_names(port.key, allowed));
  return ports.entries;
}

/// cudnn-frontend writes a tensor with an assigned uid as a number. A number passed by value that
/// has no name is written as "".
Tensor& tensor_at(const YamlEntry& port, const std::string& tag, Tensors& tensors) {
  const YamlNode& name = *port.value;
  const bool is_uid =
      name.kind == YamlNode::Kind::scalar && std::holds_alternative<std::int64_t>(name.value);
  const bool is_empty = name.kind == YamlNode::Kind::scalar && name.value == Value(std::string());
  if (!is_uid && !is_empty) read_text(name, "the tensor of '" + port.key + "'");
  if (const auto found = tensors.find(name.text); found != tensors.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [other, tensor] : tensors) known.push_back(other);
  fail_at(name.at,
          tag + ": there is no tensor '" + name.text + "'" + allowed_names(name.text, known));
}

void note_writer(Tensor& tensor, const Use& writer) {
  const std::string& name = tensor.entry->key;
  if (tensor.writer.port)
    fail_at(writer.port->value->at, "the tensor '" + name + "' is computed by operation " +
                                        std::to_string(tensor.writer.operation) + " already");
  if (tensor.reader.port)
    fail_at(tensor.reader.port->value->at,
            "operation " + std::to_string(tensor.reader.operation) + " reads '" + name +
                "', which " +
                (tensor.reader.operation == writer.operation
                     ? "it computes itself"
                     : "operation " + std::to_string(writer.operation) + " computes after it") +
                "; 'nodes' stand in the order in which they compute, and a graph has no cycles");
  tensor.writer = writer;
}

void check_node(const YamlNode& node, std::size_t index, Tensors& tensors) {
  const GraphOperation& kind = operation_of(node);
  check_members(node, kind.members, {"tag", "inputs", "outputs"}, kind.tag);
  const YamlEntry *mode = find_entry(node, "mode"), *inputs = find_entry(node, "inputs");
  const auto needed =
      graph_inputs(kind, mode ? mode->value->text : "", inputs ? inputs->value->entries.size() : 0);
  // A pointwise operation has exactly the inputs of its mode.
  const bool is_pointwise = kind.tag == "POINTWISE";
  for (const YamlEntry& port :
       ports_of(node, "inputs", needed,
                is_pointwise ? std::vector<std::string>{} : kind.more_inputs, kind.tag))
    if (Tensor& tensor = tensor_at(port, kind.tag, tensors); !tensor.reader.port)
      tensor.reader = {index, &port};
  for (const YamlEntry& port : ports_of(node, "outputs", kind.outputs, kind.more_outputs, kind.tag))
    note_writer(tensor_at(port, kind.tag, tensors), {index, &port});
}

void check_used(const Tensor& tensor) {
  const std::string what = "the tensor '" + tensor.entry->key + "'";
  const YamlEntry* flag = find_entry(*tensor.entry->value, "is_virtual");
  const bool is_virtual = flag && flag->value->value == Value(true);
  if (!tensor.writer.port && !tensor.reader.port)
    fail_at(tensor.entry->at, what + " is in no operation");
  if (is_virtual && !tensor.writer.port)
    fail_at(tensor.reader.port->value->at, what + " is virtual, and no operation computes it");
  if (is_virtual && !tensor.reader.port)
    fail_at(tensor.entry->at,
            what + " is virtual, but no operation reads it; without 'is_virtual' it is a result");
}

/// Checks that operations, ports and tensors match by name. The worker checks sizes; cuDNN reports
/// what it does not support.
void check_graph(const YamlNode& graph) {
  check_members(graph, {}, graph_members(), "the graph");
  if (const YamlEntry* context = find_entry(graph, "context");
      context && context->value->kind != YamlNode::Kind::null)
    check_members(*context->value, graph_context_members(), {}, "the graph's context");
  Tensors tensors;
  for (const YamlEntry& entry :
       part_of(graph, "tensors", "the graph", YamlNode::Kind::map).entries) {
    check_members(*entry.value, graph_tensor_members(), {}, "the tensor '" + entry.key + "'");
    tensors[entry.key].entry = &entry;
  }
  const YamlNode& nodes = part_of(graph, "nodes", "the graph", YamlNode::Kind::list);
  if (nodes.items.empty()) fail_at(nodes.at, "the graph has no operation: 'nodes' is empty");
  for (std::size_t i = 0; i < nodes.items.size(); ++i) check_node(*nodes.items[i], i, tensors);
  for (const auto& [name, tensor] : tensors) check_used(tensor);
}

/// The text of a checked graph. Tensor names become texts, and members that are always off are left
/// out, so that readers need not handle them.
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
  const YamlNode& graph =
      *required(benchmark, "graph", "the benchmark of cudnn.graph",
                ", a file of cudnn-frontend's JSON beside the suite, or the same here: graph: "
                "{context: {…}, tensors: {…}, nodes: [{…}]}");
  if (graph.kind == YamlNode::Kind::map) return checked(graph);
  const YamlFile file = read_yaml_file(read_file_path(benchmark, "graph"));
  return checked(*parse_yaml(file));
}

}  // namespace plumbline
