#include "suite/graph/graph_operation_shapes.h"

#include <algorithm>
#include <array>
#include <variant>

#include "suite/yaml/reader.h"

namespace plumbline {

using Dims = GraphDims;

namespace {

using Written = ShapesWritten;
using Operation = ShapedOperation;

const ShapedPort* find_port(const std::vector<ShapedPort>& ports, std::string_view name) {
  for (const ShapedPort& port : ports)
    if (port.port->key == name && !port.dims.empty()) return &port;
  return nullptr;
}

bool is_by_value(const ShapedPort& port) {
  const YamlEntry* entry = find_entry(*port.tensor->value, "is_pass_by_value");
  return entry && entry->value->value == Value(true);
}

/// Where the tensor's dimensions stand, or the port where they follow from another operation.
const YamlPlace& place_of(const ShapedPort& port) {
  const YamlEntry* dim = find_entry(*port.tensor->value, "dim");
  return dim ? dim->value->at : port.port->value->at;
}

/// The numbers of a member; none where it is not given.
Dims member(const Operation& operation, const char* key) {
  const YamlEntry* entry = find_entry(operation.node, key);
  return entry && entry->value->kind == YamlNode::Kind::list ? integers_of(*entry->value) : Dims{};
}

/// A list that has a number for each dimension from `first` on.
void check_length(const Operation& operation, const char* key, std::size_t first,
                  const ShapedPort& port) {
  const YamlEntry* entry = find_entry(operation.node, key);
  if (!entry || entry->value->kind != YamlNode::Kind::list) return;
  if (entry->value->items.size() + first == port.dims.size()) return;
  fail_at(entry->value->at, "'" + entry->key + "' has " +
                                std::to_string(entry->value->items.size()) +
                                " items; it has one for each dimension" +
                                (first == 0 ? " of " : " but the first two of ") + words_of(port));
}

void check_rank(const Operation& operation) {
  if (operation.kind.tag == "RESHAPE") return;
  const ShapedPort* first = nullptr;
  for (const auto* ports : {&operation.inputs, &operation.outputs})
    for (const ShapedPort& port : *ports) {
      if (port.dims.empty()) continue;
      if (!first) first = &port;
      if (port.dims.size() != first->dims.size())
        fail_on_pair(operation, *first, port, "they have as many dimensions");
    }
}

/// Numbers that are passed by value have no shape: they are operands of pointwise operations, and
/// what others call a scale or an epsilon.
void check_in_memory(const Operation& operation) {
  constexpr std::array<std::string_view, 10> kPorts{"A", "B", "X", "W",  "DY",
                                                    "Q", "K", "V", "dO", "O"};
  for (const ShapedPort& input : operation.inputs)
    if (is_by_value(input) && std::ranges::find(kPorts, input.port->key) != kPorts.end())
      fail_at(input.port->value->at, operation.kind.tag + " reads " + input.port->key +
                                         " from memory, and the tensor '" + input.tensor->key +
                                         "' is passed by value");
}

/// Sizes that are equal, or one of them 1.
Dims broadcast(const Operation& operation, const ShapedPort*& widest, const ShapedPort& other,
               Dims sizes) {
  for (std::size_t i = 0; i < other.dims.size(); ++i) {
    if (other.dims[i] != sizes[i] && other.dims[i] != 1 && sizes[i] != 1)
      fail_on_pair(operation, *widest, other, "sizes are equal, or one is 1");
    sizes[i] = std::max(sizes[i], other.dims[i]);
  }
  if (sizes == other.dims) widest = &other;
  return sizes;
}

Written pointwise(const Operation& operation) {
  const ShapedPort* widest = nullptr;
  bool is_known = true;
  for (const ShapedPort& input : operation.inputs) {
    is_known &= !input.dims.empty() || is_by_value(input);
  }
  Dims sizes;
  for (const ShapedPort& input : operation.inputs) {
    if (input.dims.empty()) continue;
    if (!widest) {
      widest = &input;
      sizes = input.dims;
    } else {
      sizes = broadcast(operation, widest, input, sizes);
    }
  }
  if (!widest && is_known)
    fail_at(operation.node.at,
            "POINTWISE reads nothing but numbers that are passed by value; one input is a tensor "
            "in memory or of an operation before");
  if (!widest || !is_known) return {};
  return {{"OUT_0", sizes}};
}

/// Batches are repeated for the other's, as query heads share the heads of keys.
Written product(const Operation& operation) {
  const ShapedPort *a = operation.input("A"), *b = operation.input("B");
  for (const ShapedPort* port : {a, b})
    if (port && port->dims.size() < 2)
      fail_at(
          port->port->value->at,
          operation.kind.tag + ": " + words_of(*port) +
              " is no matrix: it has two dimensions or more, the last of them rows and columns");
  if (!a || !b) return {};
  const std::size_t rank = a->dims.size();
  if (a->dims[rank - 1] != b->dims[rank - 2])
    fail_on_pair(operation, *a, *b, "A has as many columns as B rows");
  Dims sizes = a->dims;
  for (std::size_t i = 0; i + 2 < rank; ++i) {
    const auto [least, most] = std::minmax({a->dims[i], b->dims[i]});
    if (most % least != 0)
      fail_on_pair(operation, *a, *b, "batches are equal, or one is a multiple of the other");
    sizes[i] = most;
  }
  sizes[rank - 1] = b->dims[rank - 1];
  return {{"C", sizes}};
}

/// What a convolution forward gives; nothing where the filter does not fit into the image.
Dims convolved(const Operation& operation, const Dims& image, const Dims& weight) {
  const Dims before = member(operation, "pre_padding"), after = member(operation, "post_padding");
  const Dims stride = member(operation, "stride"), dilation = member(operation, "dilation");
  Dims sizes{image[0], weight[0]};
  for (std::size_t i = 0; i + 2 < image.size(); ++i) {
    const std::int64_t room = image[i + 2] + before[i] + after[i];
    const std::int64_t reach = (weight[i + 2] - 1) * dilation[i] + 1;
    if (reach > room) return {};
    sizes.push_back((room - reach) / stride[i] + 1);
  }
  return sizes;
}

void check_channels(const Operation& operation, const ShapedPort& image, const ShapedPort& weight) {
  const std::int64_t channels = image.dims[1], of_filter = weight.dims[1];
  if (channels % of_filter != 0 || weight.dims[0] % (channels / of_filter) != 0)
    fail_on_pair(operation, image, weight,
                 "the channels are a filter's, or several groups' of them, of as many filters "
                 "each");
}

void check_windows(const Operation& operation) {
  for (const auto* ports : {&operation.inputs, &operation.outputs})
    for (const ShapedPort& port : *ports) {
      if (port.dims.empty()) continue;
      if (port.dims.size() < 3)
        fail_at(port.port->value->at, operation.kind.tag + ": " + words_of(port) + " has " +
                                          std::to_string(port.dims.size()) +
                                          " dimensions; it has batch, channels and one of space "
                                          "or more");
      for (const char* key : {"pre_padding", "post_padding", "stride", "dilation", "window"})
        check_length(operation, key, 2, port);
    }
}

Written convolution(const Operation& operation) {
  check_windows(operation);
  const ShapedPort *image = operation.input("X"), *weight = operation.input("W");
  if (!image || !weight) return {};
  check_channels(operation, *image, *weight);
  Dims sizes = convolved(operation, image->dims, weight->dims);
  if (sizes.empty())
    fail_on_pair(operation, *image, *weight, "the filter is larger than the padded image");
  return {{"Y", sizes}};
}

/// Of the image or of the filter: many sizes have the same result forward, so the graph says which.
Written gradient(const Operation& operation, const char* wanted) {
  require_dims(operation, wanted, "whose dimensions do not follow from what it reads");
  check_windows(operation);
  const bool is_of_image = std::string_view(wanted) == "DX";
  const ShapedPort* result = operation.output(wanted);
  const ShapedPort* other = operation.input(is_of_image ? "W" : "X");
  const ShapedPort* given = operation.input("DY");
  if (!result || !other || !given) return {};
  const ShapedPort &image = is_of_image ? *result : *other,
                   &weight = is_of_image ? *other : *result;
  check_channels(operation, image, weight);
  const Dims forward = convolved(operation, image.dims, weight.dims);
  if (forward != given->dims)
    fail_at(place_of(*result), operation.kind.tag + ": " + words_of(*given) +
                                   " is no gradient of " + words_of(*result) +
                                   ": forward, that gives " +
                                   (forward.empty() ? "nothing, the filter being larger than the "
                                                      "padded image"
                                                    : sizes_in_words(forward)));
  return {};
}

Written resample(const Operation& operation) {
  check_windows(operation);
  const ShapedPort* x = operation.input("X");
  const std::string mode = find_entry(operation.node, "resample_mode")->value->text;
  if (!x || mode == "BILINEAR" || mode == "NEAREST") return {};
  const Dims before = member(operation, "pre_padding"), after = member(operation, "post_padding");
  const Dims stride = member(operation, "stride"), window = member(operation, "window");
  Dims sizes{x->dims[0], x->dims[1]};
  for (std::size_t i = 0; i < window.size(); ++i) {
    const std::int64_t room = x->dims[i + 2] + before[i] + after[i];
    if (window[i] > room)
      fail_at(find_entry(operation.node, "window")->value->items[i]->at,
              "RESAMPLE: the window of " + std::to_string(window[i]) +
                  " is larger than the padded image, " + std::to_string(room) + " of " +
                  words_of(*x));
    sizes.push_back((room - window[i]) / stride[i] + 1);
  }
  return {{"Y", sizes}, {"Index", sizes}};
}

Written reduction(const Operation& operation) {
  const ShapedPort *x = operation.input("X"), *y = operation.output("Y");
  if (!x || !y) return {};
  for (std::size_t i = 0; i < x->dims.size(); ++i)
    if (y->dims[i] != x->dims[i] && y->dims[i] != 1)
      fail_at(place_of(*y), "REDUCTION: " + words_of(*y) + " is not what " + words_of(*x) +
                                " is reduced to: each size is that of X, or 1");
  return {};
}

Written slice(const Operation& operation) {
  const ShapedPort* x = operation.input("X");
  if (!x) return {};
  check_length(operation, "slices", 0, *x);
  const auto& ranges = find_entry(operation.node, "slices")->value->items;
  Dims steps = member(operation, "slice_strides");
  if (steps.size() > ranges.size()) check_length(operation, "slice_strides", 0, *x);
  steps.resize(ranges.size(), 1);  // as cudnn-frontend reads a list that is too short
  Dims sizes;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Dims range = integers_of(*ranges[i]);
    if (range[1] > x->dims[i])
      fail_at(ranges[i]->at, "SLICE: " + sizes_in_words(range) + " ends beyond the " +
                                 std::to_string(x->dims[i]) + " of " + words_of(*x));
    sizes.push_back((range[1] - range[0] + steps[i] - 1) / steps[i]);
  }
  return {{"Y", sizes}};
}

Written transpose(const Operation& operation) {
  const ShapedPort* x = operation.input("X");
  if (!x) return {};
  check_length(operation, "permutation", 0, *x);
  Dims sizes;
  for (const std::int64_t from : member(operation, "permutation"))
    sizes.push_back(x->dims[std::size_t(from)]);
  return {{"Y", sizes}};
}

Written reshape(const Operation& operation) {
  const ShapedPort *x = operation.input("X"), *y = operation.output("Y");
  const Dims given = member(operation, "dim");
  if (!y && given.empty())
    require_dims(operation, "Y", "whose dimensions neither its tensor nor the operation gives");
  if (!x) return y ? Written{} : Written{{"Y", given}};
  const auto count = [](const Dims& dims) {
    std::int64_t product = 1;
    for (const std::int64_t size : dims) product *= size;
    return product;
  };
  const Dims sizes = y ? y->dims : given;
  if (count(x->dims) != count(sizes))
    fail_at(y ? place_of(*y) : find_entry(operation.node, "dim")->value->at,
            "RESHAPE: " + words_of(*x) + " has " + std::to_string(count(x->dims)) +
                " elements and Y " + sizes_in_words(sizes) + " " + std::to_string(count(sizes)));
  return {{"Y", sizes}};
}

Written concatenation(const Operation& operation) {
  const YamlEntry& given = *find_entry(operation.node, "axis");
  const std::int64_t axis = std::get<std::int64_t>(given.value->value);
  Dims sizes;
  const ShapedPort* first = nullptr;
  for (const ShapedPort& input : operation.inputs) {
    if (input.dims.empty()) return {};
    if (axis < 0 || axis >= std::int64_t(input.dims.size()))
      fail_at(given.value->at, "CONCATENATE: there is no dimension " + given.value->text + " of " +
                                   words_of(input) + "; they are numbered from 0");
    if (!first) {
      first = &input;
      sizes = input.dims;
      continue;
    }
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (std::int64_t(i) != axis && input.dims[i] != sizes[i])
        fail_on_pair(operation, *first, input, "all sizes are equal but that of the axis");
    sizes[std::size_t(axis)] += input.dims[std::size_t(axis)];
  }
  return {{"Y", sizes}};
}

using Rule = Written (*)(const Operation&);

const std::map<std::string_view, Rule>& rules() {
  static const std::map<std::string_view, Rule> kRules{
      {"POINTWISE", pointwise},
      {"MATMUL", product},
      {"MATMUL_FP8", product},
      {"CONV_FPROP", convolution},
      {"CONV_DGRAD", [](const Operation& of) { return gradient(of, "DX"); }},
      {"CONV_WGRAD", [](const Operation& of) { return gradient(of, "DW"); }},
      {"RESAMPLE", resample},
      {"REDUCTION", reduction},
      {"SLICE", slice},
      {"TRANSPOSE", transpose},
      {"RESHAPE", reshape},
      {"CONCATENATE", concatenation},
      {"SDPA", attention_shapes},
      {"SDPA_FP8_FWD", attention_shapes},
      {"SDPA_BWD", attention_shapes},
      {"SDPA_FP8_BWD", attention_shapes},
      {"LAYER_NORM", norm_of_rows},
      {"RMS_NORM", norm_of_rows},
      {"INSTANCE_NORM", norm_of_channels},
      {"BATCHNORM", norm_of_channels},
      {"BATCHNORM_INFERENCE", norm_of_channels},
      {"GENSTATS", norm_of_channels},
      {"LAYER_NORM_BPROP", norm_backward},
      {"RMS_NORM_BPROP", norm_backward},
      {"INSTANCE_NORM_BPROP", norm_backward},
      {"DBN", norm_backward}};
  return kRules;
}

}  // namespace

const ShapedPort* ShapedOperation::input(std::string_view name) const {
  return find_port(inputs, name);
}

const ShapedPort* ShapedOperation::output(std::string_view name) const {
  return find_port(outputs, name);
}

Written shapes_written(const ShapedOperation& operation) {
  check_in_memory(operation);
  check_rank(operation);
  const auto rule = rules().find(operation.kind.tag);
  return rule == rules().end() ? Written{} : rule->second(operation);
}

std::string words_of(const ShapedPort& port) {
  return port.port->key + " " + sizes_in_words(port.dims);
}

void fail_on_pair(const ShapedOperation& operation, const ShapedPort& a, const ShapedPort& b,
                  const std::string& why) {
  fail_at(b.port->value->at,
          operation.kind.tag + ": " + words_of(a) + " and " + words_of(b) + " do not fit: " + why);
}

void require_dims(const Operation& operation, std::string_view name, const std::string& why) {
  for (const ShapedPort& output : operation.outputs)
    if (output.port->key == name && output.dims.empty())
      fail_at(output.tensor->at, operation.kind.tag + " writes '" + output.tensor->key + "', " +
                                     why + "; it lacks 'dim' and 'stride'");
}

Dims integers_of(const YamlNode& list) {
  Dims numbers;
  for (const YamlPtr& item : list.items) numbers.push_back(std::get<std::int64_t>(item->value));
  return numbers;
}

std::string sizes_in_words(const Dims& dims) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : dims) sizes.push_back(std::to_string(size));
  return "[" + joined(sizes) + "]";
}

}  // namespace plumbline
