/// cudnn-frontend's graph, open to operations read from JSON. Of frontend.cpp alone: whoever
/// includes this compiles cudnn-frontend's headers.
#pragma once

// Tells JSON errors apart by their place, and this JSON library from any other in the program.
#define JSON_DIAGNOSTICS 1
#include <cudnn_frontend.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/graph_operations.h"

namespace plumbline::cudnn {

namespace fe = cudnn_frontend;
using FeJson = nlohmann::json;
using FeTensor = std::shared_ptr<fe::graph::Tensor_attributes>;

/// "a, b, c".
inline std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// `value` as cudnn-frontend reads it, where a person may write a number for a float's digits.
inline FeJson adapted(const std::string& key, const FeJson& value) {
  constexpr std::array<std::string_view, 8> kFloats{
      "attn_scale_value",      "dropout_probability", "relu_lower_clip", "relu_upper_clip",
      "relu_lower_clip_slope", "swish_beta",          "elu_alpha",       "softplus_beta"};
  const bool is_float = std::ranges::find(kFloats, key) != kFloats.end();
  return is_float && value.is_number() ? FeJson(float(value.get<double>())) : value;
}

/// T from its default and the members given. Fails on members that T does not have, and on values
/// that it reads as something else: cudnn-frontend takes an unknown name of an enumeration for the
/// first that there is. `skipped` are members for somebody else.
template <class T>
T read_members(const FeJson& given, const std::string& where,
               const std::set<std::string>& skipped) {
  FeJson full = T{};
  std::vector<std::string> known;
  for (const auto& [key, value] : full.items())
    if (!skipped.contains(key)) known.push_back(key);
  for (const auto& [key, value] : given.items()) {
    if (skipped.contains(key)) continue;
    if (!full.contains(key))
      throw Error(where + ": unknown member '" + key + "'; it has: " + listed(known));
    full[key] = adapted(key, value);
  }
  for (const char* ports : {"inputs", "outputs"})
    if (full.contains(ports)) full[ports] = FeJson::array();
  T read = full.get<T>();
  const FeJson again = read;
  for (const std::string& key : known)
    if (again[key] != full[key])
      throw Error(where + ": " + full[key].dump() + " is no value of '" + key + "'");
  return read;
}

/// Names of an enumeration in JSON, in its order: a number beyond reads as the first again.
template <class Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (int i = 0; i < 64; ++i) {
    const FeJson name = static_cast<Enum>(i);
    if (i > 0 && name == FeJson(static_cast<Enum>(0))) break;
    if (name.is_string()) names.push_back(name);
  }
  return names;
}

using NamedTensors = std::map<std::string, FeTensor>;  // by port

/// Members of the node that no attributes have.
inline std::set<std::string> members_beside(const FeJson& node) {
  std::set<std::string> names{"tag", "inputs", "outputs", "peer_stats"};
  for (const GraphMember& member : find_graph_operation(node.at("tag").get<std::string>())->members)
    if (member.value == GraphValue::off) names.insert(member.name);
  return names;
}

/// A door to what cudnn-frontend's Graph keeps to itself and its deserialize().
class OpenGraph : public fe::graph::Graph {
 public:
  FeTensor input(const fe::graph::Tensor_attributes& attributes) { return tensor(attributes); }
  FeTensor output(const std::string& name) { return output_tensor(name); }
  /// The type of what names none: that of the context.
  void complete_type(const FeTensor& tensor) const {
    if (tensor->get_data_type() == fe::DataType_t::NOT_SET)
      tensor->set_data_type(tensor->get_is_virtual() ? context.get_intermediate_data_type()
                                                     : context.get_io_data_type());
  }

  /// Adds an operation whose attributes are the members of `node`.
  template <class Attributes, class Node>
  void add(const FeJson& node, const std::string& where, const NamedTensors& inputs,
           const NamedTensors& outputs) {
    auto attributes = read_members<Attributes>(node, where, members_beside(node));
    bind(attributes.inputs, inputs, where + ", inputs");
    bind(attributes.outputs, outputs, where + ", outputs");
    adapt(attributes, node);
    sub_nodes.emplace_back(std::make_unique<Node>(std::move(attributes), context));
  }

  /// Attention has two kinds of nodes; cudnn-frontend prefers the one that is newer.
  void add_sdpa(FeJson node, const std::string& where, const NamedTensors& inputs,
                const NamedTensors& outputs) {
    const auto is_given = [&](const char* key) {
      return node.contains(key) && !node[key].is_null();
    };
    if (!is_given("mma_core_mode"))
      node["mma_core_mode"] = node["tag"] == "SDPA_FP8_FWD" ? "FP8_E4M3" : "HALF";
    if (!is_given("generate_stats")) node["generate_stats"] = outputs.contains("Stats");
    if (node.value("implementation", "AUTO") == "AUTO") {
      auto probe = read_members<fe::graph::SDPA_attributes>(node, where, members_beside(node));
      bind(probe.inputs, inputs, where + ", inputs");
      bind(probe.outputs, outputs, where + ", outputs");
      probe._auto_select_implementation(context);
      node["implementation"] = FeJson(probe)["implementation"];
    }
    if (node["implementation"] == "UNIFIED")
      add<fe::graph::SDPA_attributes, fe::graph::UnifiedSDPANode>(node, where, inputs, outputs);
    else
      add<fe::graph::SDPA_attributes, fe::graph::CompositeSDPANode>(node, where, inputs, outputs);
  }

 private:
  template <class PortMap>
  static void bind(PortMap& ports, const NamedTensors& tensors, const std::string& where) {
    using Port = typename PortMap::key_type;
    for (const auto& [name, tensor] : tensors) {
      const Port port = FeJson(name).get<Port>();
      if (FeJson(port) != FeJson(name))
        throw Error(where + ": unknown port '" + name + "'; it has: " + listed(names_of<Port>()));
      ports[port] = tensor;
    }
  }

  /// Of a concatenation, whose inputs are a list.
  static void bind(std::vector<FeTensor>& ports, const NamedTensors& tensors,
                   const std::string& where) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const auto found = tensors.find(std::to_string(i));
      if (found == tensors.end())
        throw Error(where + ": there are " + std::to_string(tensors.size()) + ", and none is '" +
                    std::to_string(i) + "'; they are numbered from 0");
      ports.push_back(found->second);
    }
  }

  /// What cudnn-frontend's own reading leaves out.
  template <class Attributes>
  static void adapt(Attributes&, const FeJson&) {}
  static void adapt(fe::graph::Rmsnorm_backward_attributes& attributes, const FeJson& node) {
    attributes.has_dbias(node["outputs"].contains("DBIAS"));
  }
  static void adapt(fe::graph::Resample_attributes& attributes, const FeJson& node) {
    const auto numbers = [&](const char* key) {
      return node.at(key).get<std::vector<std::int64_t>>();  // the denominators are lost
    };
    attributes.set_window(numbers("window"))
        .set_stride(numbers("stride"))
        .set_pre_padding(numbers("pre_padding"))
        .set_post_padding(numbers("post_padding"));
  }
};

}  // namespace plumbline::cudnn
