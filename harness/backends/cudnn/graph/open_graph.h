/// cudnn-frontend's graph, opened to operations read from JSON. Only frontend.cpp includes this,
/// because it includes cudnn-frontend's slow headers.
#pragma once

// JSON errors then name their place, and this JSON library differs from any other in the program.
#define JSON_DIAGNOSTICS 1
#include <cudnn_frontend.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/error.h"
#include "core/op/graph_operations.h"

namespace plumbline::cudnn {

namespace fe = cudnn_frontend;
using FeJson = nlohmann::json;
using FeTensor = std::shared_ptr<fe::graph::Tensor_attributes>;

/// The status of a call of cudnn-frontend; exceptions become a status too.
template <class Call>
fe::error_t status_of(Call call) {
  try {
    return call();
  } catch (const std::exception& error) {
    return {fe::error_code_t::CUDNN_BACKEND_API_FAILED, error.what()};
  }
}

/// "a, b, c".
inline std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// `value` as cudnn-frontend reads it: a person may write a number instead of a float's digits.
inline FeJson adapted(const std::string& key, const FeJson& value) {
  constexpr std::array<std::string_view, 8> kFloats{
      "attn_scale_value",      "dropout_probability", "relu_lower_clip", "relu_upper_clip",
      "relu_lower_clip_slope", "swish_beta",          "elu_alpha",       "softplus_beta"};
  const bool is_float = std::ranges::find(kFloats, key) != kFloats.end();
  return is_float && value.is_number() ? FeJson(float(value.get<double>())) : value;
}

/// Makes a T from its defaults and the given members; null counts as not given. Throws for members
/// that T does not have, and for values that T reads as something else: cudnn-frontend reads an
/// unknown name of an enumeration as its first name. Members in `skipped` are ignored.
template <class T>
T read_members(const FeJson& given, const std::string& where,
               const std::set<std::string>& skipped) {
  FeJson full = T{};
  std::vector<std::string> known;
  for (const auto& [key, value] : full.items())
    if (!skipped.contains(key)) known.push_back(key);
  for (const auto& [key, value] : given.items()) {
    if (skipped.contains(key) || value.is_null()) continue;
    if (!full.contains(key))
      throw Error(where + ": unknown member '" + key + "'; it has: " + listed(known));
    full[key] = adapted(key, value);
  }
  for (const char* ports : {"inputs", "outputs"})
    if (full.contains(ports)) full[ports] = FeJson::array();
  T read;
  try {
    read = full.get<T>();
  } catch (const FeJson::exception& error) {
    throw Error(where + ": " + error.what());
  }
  const FeJson again = read;
  for (const std::string& key : known)
    if (again[key] != full[key])
      throw Error(where + ": " + full[key].dump() + " is not allowed for '" + key + "'");
  return read;
}

/// Names of an enumeration in JSON, in its order: a number beyond the last reads as the first.
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

/// An operation in JSON with its tensors. `where`: its name in messages, "operation 0 (MATMUL)".
struct NamedOperation {
  std::string tag, where;
  FeJson json;
  NamedTensors inputs, outputs;
};

/// "[8, 16]".
inline std::string shape_text(const std::vector<std::int64_t>& dims) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : dims) sizes.push_back(std::to_string(size));
  return "[" + listed(sizes) + "]";
}

/// "operation 0 (MATMUL): A [1, 4, 8], B [1, 9, 2], C [1, 4, 2]", for the shapes that are known.
inline std::string in_words(const NamedOperation& operation) {
  std::vector<std::string> shapes;
  for (const NamedTensors& tensors : {operation.inputs, operation.outputs})
    for (const auto& [port, tensor] : tensors)
      if (!tensor->get_dim().empty() && !tensor->get_is_pass_by_value())
        shapes.push_back(port + " " + shape_text(tensor->get_dim()));
  return operation.where + (shapes.empty() ? "" : ": ") + listed(shapes);
}

/// Members of the node that are no attributes of cudnn-frontend.
inline std::set<std::string> members_beside(const std::string& tag) {
  std::set<std::string> names{"tag", "inputs", "outputs", "peer_stats"};
  for (const GraphMember& member : find_graph_operation(tag)->members)
    if (member.value == GraphValue::off) names.insert(member.name);
  return names;
}

/// Gives access to protected members of cudnn-frontend's Graph that only its deserialize() uses.
class OpenGraph : public fe::graph::Graph {
 public:
  FeTensor input(const fe::graph::Tensor_attributes& attributes) { return tensor(attributes); }
  FeTensor output(const std::string& name) { return output_tensor(name); }
  /// Gives a tensor without a type the type of the context.
  void complete_type(const FeTensor& tensor) const {
    if (tensor->get_data_type() == fe::DataType_t::NOT_SET)
      tensor->set_data_type(tensor->get_is_virtual() ? context.get_intermediate_data_type()
                                                     : context.get_io_data_type());
  }

  /// Adds an operation; the members of its JSON are the attributes.
  template <class Attributes, class Node>
  void add(const NamedOperation& operation) {
    auto attributes =
        read_members<Attributes>(operation.json, operation.where, members_beside(operation.tag));
    bind(attributes.inputs, operation.inputs, operation.where + ", inputs");
    bind(attributes.outputs, operation.outputs, operation.where + ", outputs");
    adapt(attributes, operation.json);
    sub_nodes.emplace_back(std::make_unique<Node>(std::move(attributes), context));
    operations_.push_back(operation);
  }

  /// Validates the last operation; its results have shapes from then on.
  fe::error_t validate_last() {
    return on(sub_nodes.size() - 1, [this] { return validate_subtree(); });
  }

  /// Lets cuDNN make the operations one by one, which needs no device. Returns the status of the
  /// first operation that cuDNN refuses and names it in `refused`. find_plans() cannot be called
  /// afterwards. `free_uid`: no tensor has this uid or a higher one.
  fe::error_t make_operations(std::int64_t free_uid, std::string& refused) {
    std::unordered_map<std::int64_t, std::shared_ptr<fe::Tensor>> tensors;
    std::unordered_set<std::int64_t> uids;
    std::vector<std::shared_ptr<fe::Operation>> made;
    fe::graph::managed_backend_descriptor_t raw;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      fe::error_t status = on(i, [&] {
        fe::error_t step = expand_subtree();
        if (step.is_good()) step = create_cudnn_tensors_subtree(tensors, free_uid, {});
        if (step.is_good()) step = create_cudnn_operations(uids, made, raw, tensors);
        return step;
      });
      if (status.is_bad()) {
        refused = in_words(operations_[i]);
        return status;
      }
    }
    return {};
  }

  /// Attention has two kinds of nodes; cudnn-frontend prefers the newer one.
  void add_sdpa(NamedOperation operation) {
    using fe::graph::SDPA_attributes;
    FeJson& json = operation.json;
    const auto is_given = [&](const char* key) {
      return json.contains(key) && !json[key].is_null();
    };
    if (!is_given("mma_core_mode"))
      json["mma_core_mode"] = operation.tag == "SDPA_FP8_FWD" ? "FP8_E4M3" : "HALF";
    if (!is_given("generate_stats")) json["generate_stats"] = operation.outputs.contains("Stats");
    if (!is_given("implementation") || json["implementation"] == "AUTO") {
      json.erase("implementation");
      auto probe =
          read_members<SDPA_attributes>(json, operation.where, members_beside(operation.tag));
      bind(probe.inputs, operation.inputs, operation.where + ", inputs");
      bind(probe.outputs, operation.outputs, operation.where + ", outputs");
      probe._auto_select_implementation(context);
      json["implementation"] = FeJson(probe)["implementation"];
    }
    if (json["implementation"] == "UNIFIED")
      add<SDPA_attributes, fe::graph::UnifiedSDPANode>(operation);
    else
      add<SDPA_attributes, fe::graph::CompositeSDPANode>(operation);
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

  /// For a concatenation, whose inputs are a list.
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

  /// Sets what cudnn-frontend's own reader leaves out.
  template <class Attributes>
  static void adapt(Attributes&, const FeJson&) {}
  static void adapt(fe::graph::Rmsnorm_backward_attributes& attributes, const FeJson& node) {
    attributes.has_dbias(node["outputs"].contains("DBIAS"));
  }
  static void adapt(fe::graph::Resample_attributes& attributes, const FeJson& node) {
    const auto numbers = [&](const char* key) {
      return node.at(key).get<std::vector<std::int64_t>>();  // get<> drops the denominators
    };
    attributes.set_window(numbers("window"))
        .set_stride(numbers("stride"))
        .set_pre_padding(numbers("pre_padding"))
        .set_post_padding(numbers("post_padding"));
  }

  /// Runs `step` on a graph of only that operation.
  template <class Step>
  fe::error_t on(std::size_t index, Step step) {
    auto all = std::move(sub_nodes);
    sub_nodes = {all[index]};
    fe::error_t status = status_of(step);
    sub_nodes = std::move(all);
    return status;
  }

  std::vector<NamedOperation> operations_;
};

}  // namespace plumbline::cudnn
