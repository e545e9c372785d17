/// Reads a graph's JSON into cudnn-frontend's graph and names every mistake. Only frontend.cpp
/// includes this, because it includes cudnn-frontend's slow headers.
///
/// cudnn-frontend's own deserialize() ignores operations and tensors that it does not know, and has
/// no norms.
#pragma once

#include <algorithm>

#include "backends/cudnn/graph/frontend.h"
#include "backends/cudnn/graph/graph_shapes.h"
#include "backends/cudnn/graph/open_graph.h"
#include "backends/implementation.h"
#include "core/op/graph_operations.h"

namespace plumbline::cudnn {

using AddNode = void (*)(OpenGraph&, const NamedOperation&);

template <class Attributes, class Node>
void add_node(OpenGraph& graph, const NamedOperation& operation) {
  graph.add<Attributes, Node>(operation);
}

inline void add_sdpa(OpenGraph& graph, const NamedOperation& operation) {
  graph.add_sdpa(operation);
}

/// The function that adds each operation of core/op/graph_operations.h.
inline const std::map<std::string, AddNode>& node_kinds() {
  using namespace fe::graph;
  static const std::map<std::string, AddNode> kKinds{
      {"CONV_FPROP", add_node<Conv_fprop_attributes, ConvolutionNode>},
      {"CONV_DGRAD", add_node<Conv_dgrad_attributes, DgradNode>},
      {"CONV_WGRAD", add_node<Conv_wgrad_attributes, WgradNode>},
      {"MATMUL", add_node<Matmul_attributes, MatmulNode>},
      {"POINTWISE", add_node<Pointwise_attributes, PointwiseNode>},
      {"REDUCTION", add_node<Reduction_attributes, ReductionNode>},
      {"RESAMPLE", add_node<Resample_attributes, ResampleNode>},
      {"SDPA", add_sdpa},
      {"SDPA_FP8_FWD", add_sdpa},
      {"SDPA_BWD", add_node<SDPA_backward_attributes, CompositeSDPABackwardNode>},
      {"SDPA_FP8_BWD", add_node<SDPA_fp8_backward_attributes, SDPAFP8BackwardNode>},
      {"LAYER_NORM", add_node<Layernorm_attributes, LayerNormNode>},
      {"LAYER_NORM_BPROP", add_node<Layernorm_backward_attributes, DLNNode>},
      {"RMS_NORM", add_node<Rmsnorm_attributes, RMSNormNode>},
      {"RMS_NORM_BPROP", add_node<Rmsnorm_backward_attributes, DRMSNormNode>},
      {"INSTANCE_NORM", add_node<Instancenorm_attributes, InstanceNormNode>},
      {"INSTANCE_NORM_BPROP", add_node<Instancenorm_backward_attributes, DINNode>},
      {"BATCHNORM", add_node<Batchnorm_attributes, BatchNormNode>},
      {"BATCHNORM_INFERENCE", add_node<Batchnorm_inference_attributes, BatchnormInferenceNode>},
      {"DBN", add_node<Batchnorm_backward_attributes, DBNNode>},
      {"BN_FINALIZE", add_node<BN_finalize_attributes, BatchNormFinalizeNode>},
      {"DBN_WEIGHT", add_node<DBN_weight_attributes, DBNWeightNode>},
      {"ADA_LAYER_NORM", add_node<AdaLayernorm_attributes, AdaLayerNormNode>},
      {"ADA_LAYER_NORM_BPROP", add_node<AdaLayernorm_backward_attributes, DAdaLayerNormNode>},
      {"MATMUL_FP8", add_node<Matmul_fp8_attributes, MatmulFP8Node>},
      {"BLOCK_SCALE_DEQUANTIZE",
       add_node<Block_scale_dequantize_attributes, BlockScaleDequantizeNode>},
      {"BLOCK_SCALE_QUANTIZE", add_node<Block_scale_quantize_attributes, BlockScaleQuantizeNode>},
      {"CONCATENATE", add_node<Concatenate_attributes, ConcatenateNode>},
      {"GENSTATS", add_node<Genstats_attributes, GenstatsNode>},
      {"SLICE", add_node<Slice_attributes, SliceNode>},
      {"TRANSPOSE", add_node<Transpose_attributes, TransposeNode>},
      {"RESHAPE", add_node<Reshape_attributes, ReshapeNode>},
      {"MOE_GROUPED_MATMUL", add_node<Moe_grouped_matmul_attributes, MoeGroupedMatmulNode>},
      {"MOE_GROUPED_MATMUL_BWD",
       add_node<Moe_grouped_matmul_bwd_attributes, MoeGroupedMatmulBwdNode>},
  };
  return kKinds;
}

inline std::vector<std::string> tags() {
  std::vector<std::string> names;
  for (const GraphOperation& operation : graph_operations()) names.push_back(operation.tag);
  return names;
}

/// Whether a product multiplies this port. Attention also reads statistics, which are always
/// float32.
inline bool is_factor(const std::string& tag, const std::string& port) {
  constexpr std::array<std::string_view, 9> kPorts{"A", "B", "X", "W", "DY", "Q", "K", "V", "dO"};
  const bool is_product = tag.starts_with("CONV_") || tag == "MATMUL" || tag.starts_with("SDPA");
  return is_product && std::ranges::find(kPorts, port) != kPorts.end();
}

inline const FeJson& member(const FeJson& json, const char* key, bool is_object,
                            const std::string& where) {
  if (!json.contains(key) || (is_object ? !json[key].is_object() : !json[key].is_array()))
    throw Error(where + " lacks '" + key + "', " + (is_object ? "an object" : "a list"));
  return json[key];
}

/// Throws if the operation lacks a required port.
inline void require_ports(const GraphOperation& kind, const FeJson& node,
                          const std::string& where) {
  const FeJson mode = node.value("mode", FeJson());
  if (mode.is_null() && (kind.tag == "POINTWISE" || kind.tag == "REDUCTION"))
    throw Error(where + " lacks 'mode'");
  const auto needed = graph_inputs(kind, mode.is_string() ? mode.get<std::string>() : "", 1);
  for (const auto& [side, ports] : {std::pair{"inputs", needed}, {"outputs", kind.outputs}})
    for (const std::string& port : ports)
      if (!member(node, side, true, where).contains(port))
        throw Error(where + " lacks '" + port + "' among its " + side +
                    "; it needs: " + listed(ports));
}

/// cuDNN's message in a few lines: it repeats itself at each level of the call.
inline std::string brief(const std::string& message) {
  constexpr std::size_t kLinesMax = 3, kCharactersMax = 400;
  std::string text;
  std::size_t lines = 0;
  for (std::size_t begin = 0; begin < message.size() && lines < kLinesMax;) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    std::string line = message.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("Warning: ")) line.erase(0, 9);
    // cudnn-frontend appends a blank for every operation.
    if (line.starts_with("No valid engine configs for")) line = "No valid engine configs";
    if (line.ends_with('.')) line.pop_back();
    if (line.empty() || line[0] == '{') continue;
    text += (text.empty() ? "" : "; ") + line;
    ++lines;
  }
  return text.size() > kCharactersMax ? text.substr(0, kCharactersMax) + "…" : text;
}

inline std::string said(const std::string& call, const std::string& graph,
                        const std::string& message) {
  return "cuDNN " + version() + ", " + call + " of '" + graph + "': " + brief(message);
}

/// Throws if validate() refused the graph; `where`: which operation, or "".
inline void require_valid(fe::error_t status, const std::string& graph, const std::string& where) {
  if (status.is_good()) return;
  const std::string text =
      said("validate", graph, status.get_message()) + (where.empty() ? "" : "; " + where);
  if (status.get_code() == fe::error_code_t::GRAPH_NOT_SUPPORTED) throw Unsupported(text);
  throw Error(text);
}

/// Reads the text into the graph and validates operations one by one. Assigns a uid to tensors in
/// memory that have none.
class GraphReader {
 public:
  GraphReader(OpenGraph& graph, const std::string& text);

  const std::string& name() const { return name_; }
  /// Tensors in memory, each with whether an operation writes it.
  const std::vector<std::pair<FeTensor, bool>>& operands() const { return operands_; }
  /// Tensors in memory that are factors of products; their types are known after validation.
  const std::vector<FeTensor>& factors() const { return factors_; }
  bool multiplies_matrices() const { return multiplies_matrices_; }
  /// No tensor has this uid or a higher one.
  std::int64_t free_uid() const { return next_uid_; }

 private:
  void read_context(const FeJson& json);
  void read_tensors(const FeJson& json);
  void read_node(const FeJson& node, std::size_t index);
  FeTensor input_named(const std::string& name, const std::string& where);
  FeTensor output_named(const std::string& name, const std::string& where);
  void note(const FeTensor& tensor, bool is_written);

  OpenGraph& graph_;
  std::string name_;
  std::map<std::string, fe::graph::Tensor_attributes> declared_;  // by key in the JSON
  std::map<std::string, FeTensor> made_;
  std::vector<std::pair<FeTensor, bool>> operands_;
  std::int64_t next_uid_ = 1;
  std::vector<FeTensor> factors_;
  bool multiplies_matrices_ = false;
};

inline GraphReader::GraphReader(OpenGraph& graph, const std::string& text) : graph_(graph) {
  FeJson json;
  try {
    json = FeJson::parse(text);
  } catch (const FeJson::parse_error& error) {
    throw Error(std::string("the graph is not valid JSON: ") + error.what());
  }
  if (!json.is_object()) throw Error("the graph must be a JSON object");
  try {
    read_context(json);
    read_tensors(member(json, "tensors", true, "the graph"));
    const FeJson& nodes = member(json, "nodes", false, "the graph");
    if (nodes.empty()) throw Error("the graph has no operation: 'nodes' is empty");
    for (std::size_t i = 0; i < nodes.size(); ++i) read_node(nodes[i], i);
  } catch (const FeJson::exception& error) {
    throw Error(std::string("in the graph's JSON: ") + error.what());
  }
  for (const auto& [name, tensor] : declared_)
    if (!made_.contains(name)) throw Error("tensor '" + name + "' is in no operation");
}

inline void GraphReader::read_context(const FeJson& json) {
  for (const auto& [key, value] : json.items())
    if (std::ranges::find(graph_members(), key) == graph_members().end())
      throw Error("unknown member '" + key + "' of the graph; it has: " + listed(graph_members()));
  // deserialize() reads the whole JSON unchecked, so it only gets the context, without nodes.
  const FeJson given = json.value("context", FeJson::object());
  FeJson context = FeJson::object();
  for (const auto& [key, value] : given.items()) {
    if (value.is_null()) continue;
    if (key.ends_with("data_type") && FeJson(value.get<fe::DataType_t>()) != value)
      throw Error("the graph's context: " + value.dump() + " is not allowed for '" + key + "'");
    context[key] = value;
  }
  name_ = context.value("name", "graph");
  const fe::error_t status = graph_.deserialize(FeJson{{"context", context}});
  if (fe::error_t copy = status; copy.is_bad())
    throw Error("the graph's context: " + copy.get_message());
}

/// Sets type and dimensions as cudnn-frontend does when it makes a tensor from a number.
inline void complete_scalar(fe::graph::Tensor_attributes& tensor, const std::string& where) {
  constexpr std::array kTypes{fe::DataType_t::INT64,  fe::DataType_t::INT32,
                              fe::DataType_t::HALF,   fe::DataType_t::FLOAT,
                              fe::DataType_t::DOUBLE, fe::DataType_t::BFLOAT16};
  const auto value = tensor.get_pass_by_value();
  if (!value)
    throw Error(
        where +
        R"( is passed by value and has none: "pass_by_value": {"index": 3, "value": 1e-5} is a float)");
  tensor.set_data_type(kTypes[value->index()]);
  if (tensor.get_dim().empty()) tensor.set_dim({1}).set_stride({1});
}

inline void GraphReader::read_tensors(const FeJson& json) {
  for (const auto& [key, given] : json.items()) {
    const std::string where = "tensor '" + key + "'";
    FeJson full = given;
    if (!full.contains("name")) full["name"] = key;
    if (FeJson& value = full["pass_by_value"]; value.is_object() && value.value("index", 0) == 3)
      if (FeJson& number = value["value"]; number.is_number()) number = float(number.get<double>());
    auto tensor = read_members<fe::graph::Tensor_attributes>(full, where, {});
    if (tensor.get_is_pass_by_value()) complete_scalar(tensor, where);
    if (tensor.get_dim().size() != tensor.get_stride().size() && !tensor.get_stride().empty())
      throw Error(where + ": " + shape_text(tensor.get_dim()) + " and its strides " +
                  shape_text(tensor.get_stride()) + " differ in number");
    if (tensor.has_uid()) next_uid_ = std::max(next_uid_, tensor.get_uid() + 1);
    declared_[key] = tensor;
  }
}

inline void GraphReader::read_node(const FeJson& node, std::size_t index) {
  std::string where = "operation " + std::to_string(index);
  if (!node.is_object()) throw Error(where + " is no object");
  const std::string tag = node.value("tag", ""), own = node.value("name", "");
  where += " (" + tag + (own.empty() ? "" : " '" + own + "'") + ")";
  const GraphOperation* kind = find_graph_operation(tag);
  if (kind == nullptr) throw Error(where + " is unknown; known operations: " + listed(tags()));
  require_ports(*kind, node, where);
  NamedOperation operation{tag, where, node, {}, {}};
  const auto name_at = [](const FeJson& port) {
    return port.is_string() ? port.get<std::string>() : port.dump();
  };
  for (const auto& [port, tensor] : member(node, "inputs", true, where).items())
    operation.inputs[port] = input_named(name_at(tensor), where);
  for (const auto& [port, tensor] : member(node, "outputs", true, where).items())
    operation.outputs[port] = output_named(name_at(tensor), where);
  for (const GraphMember& known : kind->members)
    if (known.value == GraphValue::off && node.contains(known.name) &&
        !node[known.name].is_null() && node[known.name] != false)
      throw Error(
          where + ": '" + known.name + "' is " + node[known.name].dump() +
          "; cudnn-frontend writes it but cannot read it: leave it out, or set it to false");
  check_before(operation);
  // Only attention needs its types before the context fills them in.
  if (tag.starts_with("SDPA"))
    for (const NamedTensors& tensors : {operation.inputs, operation.outputs})
      for (const auto& [port, tensor] : tensors) graph_.complete_type(tensor);
  for (const auto& [port, tensor] : operation.inputs)
    if (is_factor(tag, port) && !tensor->get_is_virtual()) factors_.push_back(tensor);
  multiplies_matrices_ |= tag == "MATMUL";
  node_kinds().at(tag)(graph_, operation);
  require_valid(graph_.validate_last(), name_, in_words(operation));
  check_after(operation);
}

inline FeTensor GraphReader::input_named(const std::string& name, const std::string& where) {
  if (const auto found = made_.find(name); found != made_.end()) return found->second;
  const auto declared = declared_.find(name);
  if (declared == declared_.end())
    throw Error(where + ": its input '" + name + "' is not among the tensors");
  if (declared->second.get_is_virtual())
    throw Error(where + ": its input '" + name + "' is computed by no operation before it");
  if (!declared->second.get_is_pass_by_value() &&
      (declared->second.get_dim().empty() || declared->second.get_stride().empty()))
    throw Error("tensor '" + name + "' is read from memory and lacks 'dim' or 'stride': " +
                R"({"dim": [8, 64], "stride": [64, 1]})");
  const FeTensor tensor = graph_.input(declared->second);
  note(tensor, false);
  return made_[name] = tensor;
}

inline FeTensor GraphReader::output_named(const std::string& name, const std::string& where) {
  const auto declared = declared_.find(name);
  if (declared == declared_.end())
    throw Error(where + ": its output '" + name + "' is not among the tensors");
  if (made_.contains(name))
    throw Error(where + ": its output '" + name + "' is read or written by an operation before it");
  if (declared->second.get_is_pass_by_value())
    throw Error(where + ": its output '" + name +
                "' is passed by value; what is written is in "
                "memory");
  const FeTensor tensor = graph_.output(name);
  *tensor = declared->second;
  note(tensor, true);
  return made_[name] = tensor;
}

inline void GraphReader::note(const FeTensor& tensor, bool is_written) {
  if (tensor->get_is_virtual() || tensor->get_is_pass_by_value()) return;
  if (!tensor->has_uid()) tensor->set_uid(next_uid_++);
  operands_.emplace_back(tensor, is_written);
}

}  // namespace plumbline::cudnn
