/// Checks of shapes that cudnn-frontend and cuDNN do not make. Without these checks they crash,
/// read out of bounds, or compute something else. They report all other mistakes themselves.
///
/// Only graph_reader.h includes this. It checks operations one by one: those before are already
/// validated, so all inputs have shapes.
#pragma once

#include "backends/cudnn/graph/memory_layout.h"
#include "backends/cudnn/graph/open_graph.h"

namespace plumbline::cudnn {

/// The lowest rank that the operation accepts.
inline std::size_t least_rank(const std::string& tag) {
  if (tag.starts_with("SDPA")) return 4;  // batch, heads, length, elements of a head
  if (tag.starts_with("CONV_") || tag.starts_with("MOE_") || tag == "RESAMPLE") return 3;
  const bool has_channels = tag.starts_with("DBN") || tag.starts_with("BATCHNORM") ||
                            tag.starts_with("INSTANCE_NORM") || tag == "GENSTATS";
  return tag.starts_with("MATMUL") || has_channels ? 2 : 1;
}

/// All tensors must have one rank: cudnn-frontend loops over the dimensions of one tensor and
/// indexes those of another.
inline std::size_t checked_rank(const NamedOperation& operation) {
  std::size_t rank = 0;
  std::string first;
  for (const NamedTensors& tensors : {operation.inputs, operation.outputs})
    for (const auto& [port, tensor] : tensors) {
      const auto dims = tensor->get_dim();
      if (dims.empty() || tensor->get_is_pass_by_value()) continue;
      if (rank == 0) first = port + " " + shape_text(dims);
      if (rank != 0 && dims.size() != rank && operation.tag != "RESHAPE")
        throw Error(operation.where + ": " + port + " " + shape_text(dims) +
                    " has another number of dimensions than " + first);
      rank = dims.size();
      if (rank < least_rank(operation.tag))
        throw Error(operation.where + ": " + port + " " + shape_text(dims) + " has fewer than " +
                    std::to_string(least_rank(operation.tag)) + " dimensions");
    }
  return rank;
}

inline void check_members(const NamedOperation& operation, std::size_t rank) {
  const FeJson& json = operation.json;
  const auto fail = [&](const char* key, const std::string& allowed) {
    throw Error(in_words(operation) + ": '" + key + "' is " + json[key].dump() + "; it is " +
                allowed);
  };
  if (operation.tag.starts_with("CONV_") || operation.tag == "RESAMPLE")
    for (const char* key : {"pre_padding", "post_padding", "stride", "dilation", "window"})
      if (json.contains(key) && (!json[key].is_array() || json[key].size() + 2 != rank))
        fail(key, "a list with a number for each dimension but the first two");
  if (json.value("block_size", FeJson()) == FeJson(0)) fail("block_size", "1 or more");
  const FeJson axis = json.value("axis", FeJson());
  const bool is_axis_of_tensors =
      operation.tag == "CONCATENATE" || operation.tag == "BLOCK_SCALE_QUANTIZE";
  if (is_axis_of_tensors && axis.is_number_integer() &&
      (axis < 0 || axis.get<std::int64_t>() >= std::int64_t(rank)))
    fail("axis", "a dimension, numbered from 0");
}

/// cuDNN reports that a slice is wrong, but not what is wrong.
inline void check_slices(const NamedOperation& operation) {
  if (operation.tag != "SLICE") return;
  const auto dims = operation.inputs.at("X")->get_dim();
  const FeJson slices = operation.json.value("slices", FeJson::array());
  bool fits = slices.size() == dims.size();
  for (std::size_t i = 0; fits && i < dims.size(); ++i) fits = slices[i].at(1) <= dims[i];
  if (!fits)
    throw Error(in_words(operation) + ": 'slices' is " + slices.dump() +
                "; it has [first, end] for each dimension of X, and none ends beyond it");
}

/// Operands other than scales and epsilons must be in memory.
inline void check_in_memory(const NamedOperation& operation) {
  constexpr std::array<std::string_view, 10> kPorts{"A", "B", "X", "W",  "DY",
                                                    "Q", "K", "V", "dO", "O"};
  for (const auto& [port, tensor] : operation.inputs)
    if (tensor->get_is_pass_by_value() && std::ranges::find(kPorts, port) != kPorts.end())
      throw Error(operation.where + ": it reads " + port + " from memory, and the tensor '" +
                  tensor->get_name() + "' is passed by value");
}

/// Outputs whose shape cudnn-frontend cannot infer must give it.
inline void check_given(const NamedOperation& operation) {
  const bool is_reshape_by_tensor =
      operation.tag == "RESHAPE" && operation.json.value("dim", FeJson::array()).empty();
  if (operation.tag != "CONV_WGRAD" && !is_reshape_by_tensor) return;
  for (const auto& [port, tensor] : operation.outputs)
    if (tensor->get_dim().empty())
      throw Error(operation.where + ": it writes '" + tensor->get_name() +
                  "', whose dimensions do not follow from what it reads; it lacks 'dim' and "
                  "'stride'");
}

/// Throws before cudnn-frontend reads the operation.
inline void check_before(const NamedOperation& operation) {
  check_in_memory(operation);
  check_members(operation, checked_rank(operation));
  check_slices(operation);
  check_given(operation);
}

/// A pointwise operation writes the broadcast shape of its inputs; pooling windows fit into their
/// padded images. cuDNN has plans for other shapes too.
inline void check_after(const NamedOperation& operation) {
  const bool is_pointwise = operation.tag == "POINTWISE";
  if (!is_pointwise && operation.tag != "RESAMPLE") return;
  std::vector<std::int64_t> sizes;
  for (const auto& [port, tensor] : operation.inputs) {
    const auto dims = tensor->get_dim();
    if (tensor->get_is_pass_by_value()) continue;
    sizes.resize(dims.size(), 1);
    for (std::size_t i = 0; i < dims.size(); ++i) sizes[i] = std::max(sizes[i], dims[i]);
  }
  for (const auto& [port, tensor] : operation.outputs)
    if (is_pointwise && tensor->get_dim() != sizes)
      throw Error(operation.where + ": it writes " + port + " " + shape_text(sizes) +
                  ", and the tensor '" + tensor->get_name() + "' has the dimensions " +
                  shape_text(tensor->get_dim()));
  const bool is_pool = !is_pointwise && operation.json["resample_mode"].get<std::string>().find(
                                            "POOL") != std::string::npos;
  for (std::size_t i = 0; is_pool && i + 2 < sizes.size(); ++i) {
    const auto member = [&](const char* key) { return operation.json[key][i].get<std::int64_t>(); };
    const std::int64_t room = sizes[i + 2] + member("pre_padding") + member("post_padding");
    if (member("window") > room)
      throw Error(in_words(operation) + ": the window of " + std::to_string(member("window")) +
                  " is larger than the padded image, " + std::to_string(room));
  }
}

/// Checks a tensor in memory once its shape is known.
inline void check_operand(const FeTensor& tensor, bool is_written) {
  const std::string what =
      "the tensor '" + tensor->get_name() + "' " + shape_text(tensor->get_dim());
  std::vector<Extent> extents;
  for (std::size_t i = 0; i < tensor->get_dim().size(); ++i)
    extents.push_back({tensor->get_dim()[i], tensor->get_stride()[i]});
  if (is_beyond_memory(extents))
    throw Error(what + ", strides " + shape_text(tensor->get_stride()) +
                ", spans more than 2^48 elements, more than any memory holds");
  if (is_written && has_an_address_twice(extents))
    throw Error(what + " is written, and the strides " + shape_text(tensor->get_stride()) +
                " give two of its elements one address");
}

}  // namespace plumbline::cudnn
