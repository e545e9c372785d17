#include "suite/graph_values.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>

#include "suite/reader.h"

namespace plumbline {
namespace {

using Kind = YamlNode::Kind;
using Dims = std::vector<std::int64_t>;

std::optional<std::int64_t> integer_in(const YamlNode& node) {
  const auto* value = std::get_if<std::int64_t>(&node.value);
  return node.kind == Kind::scalar && value ? std::optional(*value) : std::nullopt;
}

/// A number, or the hexadecimal digits of one.
bool is_number(const YamlNode& node) {
  if (node.kind != Kind::scalar) return false;
  const auto* text = std::get_if<std::string>(&node.value);
  return node.value.index() == 1 || node.value.index() == 2 ||
         (text && (text->size() == 8 || text->size() == 16) &&
          text->find_first_not_of("0123456789ABCDEFabcdef") == text->npos);
}

void check_integers(const YamlEntry& entry, std::int64_t least) {
  const std::string kind = "a list of integers of at least " + std::to_string(least);
  if (entry.value->kind != Kind::list) fail_on_kind(*entry.value, "'" + entry.key + "'", kind);
  for (const YamlPtr& item : entry.value->items)
    if (const auto value = integer_in(*item); !value || *value < least)
      fail_on_kind(*item, "'" + entry.key + "'", kind);
}

void check_permutation(const YamlEntry& entry) {
  check_integers(entry, 0);
  Dims sorted;
  for (const YamlPtr& item : entry.value->items) sorted.push_back(*integer_in(*item));
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != std::int64_t(i))
      fail_at(entry.value->at, "'" + entry.key + "' names each of the dimensions 0 to " +
                                   std::to_string(sorted.size() - 1) + " once, and lacks " +
                                   std::to_string(i));
}

void check_ranges(const YamlEntry& entry) {
  const std::string kind = "a list of [first, end] with 0 <= first < end";
  if (entry.value->kind != Kind::list) fail_on_kind(*entry.value, "'" + entry.key + "'", kind);
  for (const YamlPtr& item : entry.value->items) {
    const bool is_pair = item->kind == Kind::list && item->items.size() == 2;
    const auto first = is_pair ? integer_in(*item->items[0]) : std::nullopt;
    const auto end = is_pair ? integer_in(*item->items[1]) : std::nullopt;
    if (!first || !end || *first < 0 || *first >= *end)
      fail_on_kind(*item, "an item of '" + entry.key + "'", "[first, end] with 0 <= first < end");
  }
}

void check_scalar(const YamlEntry& entry) {
  const YamlNode& node = *entry.value;
  const std::string allowed = "{index: 3, value: 1e-5}, index 3 being a float";
  if (node.kind != Kind::map) fail_on_kind(node, "'" + entry.key + "'", allowed);
  const YamlEntry *index = find_entry(node, "index"), *value = find_entry(node, "value");
  if (!index || !value) fail_at(node.at, "'" + entry.key + "' is " + allowed);
  if (const auto type = integer_in(*index->value); !type || *type < 0 || *type >= kGraphScalarTypes)
    fail_on_kind(*index->value, "'index'",
                 "0 (int64), 1 (int32), 2 (half), 3 (float), 4 (double) or 5 (bfloat16)");
  if (!is_number(*value->value)) fail_on_kind(*value->value, "'value'", "a number");
}

void check_text(const YamlEntry& entry, const GraphMember& member) {
  const YamlNode& node = *entry.value;
  if (node.kind == Kind::scalar &&
      (member.allowed.empty() || std::ranges::count(member.allowed, node.text) > 0))
    return;
  fail_at(node.at, "'" + entry.key + "' is " + in_words(node) + ", which is " +
                       (entry.key.ends_with("data_type") ? "no data type" : "none of its values") +
                       allowed_names(node.text, member.allowed));
}

void check_value(const YamlEntry& entry, const GraphMember& member) {
  const YamlNode& node = *entry.value;
  const std::string what = "'" + entry.key + "'";
  switch (member.value) {
    case GraphValue::flag:
      if (node.kind != Kind::scalar || !std::holds_alternative<bool>(node.value))
        fail_on_kind(node, what, "true or false");
      return;
    case GraphValue::integer:
      if (!integer_in(node)) fail_on_kind(node, what, "an integer");
      return;
    case GraphValue::number:
      if (!is_number(node)) fail_on_kind(node, what, "a number");
      return;
    case GraphValue::text:
      return check_text(entry, member);
    case GraphValue::sizes:
      return check_integers(entry, 0);
    case GraphValue::extents:
      return check_integers(entry, 1);
    case GraphValue::permutation:
      return check_permutation(entry);
    case GraphValue::ranges:
      return check_ranges(entry);
    case GraphValue::nothing:
      if (node.kind != Kind::list || !node.items.empty())
        fail_on_kind(node, what, "an empty list: graphs of suites have none");
      return;
    case GraphValue::scalar:
      return check_scalar(entry);
  }
}

bool is_given(const YamlEntry* entry) { return entry && entry->value->kind != Kind::null; }

bool is_on(const YamlNode& map, std::string_view key) {
  const YamlEntry* entry = find_entry(map, key);
  return entry && entry->value->value == Value(true);
}

/// The dimensions of the tensor of a port; none where they are not given, or do not matter.
Dims dims_of(const YamlEntry& port, const YamlNode& tensors) {
  const YamlNode& tensor = *find_entry(tensors, port.value->text)->value;
  const YamlEntry* dim = find_entry(tensor, "dim");
  Dims dims;
  if (is_given(dim) && !is_on(tensor, "is_pass_by_value"))
    for (const YamlPtr& size : dim->value->items) dims.push_back(*integer_in(*size));
  return dims;
}

std::string in_words(const Dims& dims) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : dims) sizes.push_back(std::to_string(size));
  return "[" + joined(sizes) + "]";
}

/// A port with the dimensions that its tensor is given.
struct Shaped {
  const YamlEntry* port = nullptr;
  Dims dims;
};

std::vector<Shaped> shaped_ports(const YamlNode& node, const YamlNode& tensors) {
  std::vector<Shaped> ports;
  for (const char* side : {"inputs", "outputs"})
    for (const YamlEntry& port : find_entry(node, side)->value->entries)
      if (Dims dims = dims_of(port, tensors); !dims.empty())
        ports.push_back({&port, std::move(dims)});
  return ports;
}

const Shaped* find_port(const std::vector<Shaped>& ports, std::string_view name) {
  const auto found = std::ranges::find_if(
      ports, [name](const Shaped& shaped) { return shaped.port->key == name; });
  return found == ports.end() ? nullptr : &*found;
}

[[noreturn]] void fail_on_pair(const std::string& tag, const Shaped& a, const Shaped& b,
                               const std::string& why) {
  fail_at(b.port->value->at, tag + ": " + a.port->key + " " + in_words(a.dims) + " and " +
                                 b.port->key + " " + in_words(b.dims) + " do not fit: " + why);
}

/// A list that has a number for each dimension from `first` on.
void check_length(const YamlNode& node, const char* key, std::size_t first, const Shaped& shaped) {
  const YamlEntry* entry = find_entry(node, key);
  if (!is_given(entry) || entry->value->items.size() + first == shaped.dims.size()) return;
  fail_at(entry->value->at, "'" + entry->key + "' has " +
                                std::to_string(entry->value->items.size()) +
                                " items; it has one for each dimension" +
                                (first == 0 ? " of " : " but the first two of ") +
                                shaped.port->key + " " + in_words(shaped.dims));
}

void check_product(const Shaped& a, const Shaped& b) {
  const std::size_t rank = a.dims.size();
  if (rank < 2) return;
  if (a.dims[rank - 1] != b.dims[rank - 2])
    fail_on_pair("MATMUL", a, b, "A has as many columns as B rows");
}

void check_channels(const Shaped& image, const Shaped& weight) {
  if (image.dims.size() < 2) return;
  const std::int64_t channels = image.dims[1], of_filter = weight.dims[1];
  if (channels % of_filter != 0 || weight.dims[0] % (channels / of_filter) != 0)
    fail_on_pair(
        "CONV_FPROP", image, weight,
        "the channels are a filter's, or several groups' of them, of as many filters each");
}

void check_broadcast(const std::vector<Shaped>& ports) {
  for (const Shaped& shaped : ports)
    for (std::size_t i = 0; i < shaped.dims.size(); ++i) {
      const std::int64_t size = shaped.dims[i], first = ports.front().dims[i];
      if (size != first && size != 1 && first != 1)
        fail_on_pair("POINTWISE", ports.front(), shaped, "sizes are equal, or one is 1");
    }
}

/// A dimension of a tensor in memory.
struct Extent {
  std::int64_t size, stride;
};

/// Whether two different indexes have one address, that is whether steps within the sizes, not all
/// of them 0, lead back to where they began: `sum` is what the steps before led to. The strides
/// fall, so that only steps count that those behind can take back, which are few.
bool meets_itself(std::span<const Extent> extents, std::int64_t sum, bool has_moved,
                  std::int64_t& tries) {
  if (extents.empty()) return has_moved && sum == 0;
  const auto [size, stride] = extents.front();
  const std::span<const Extent> others = extents.subspan(1);
  std::int64_t reach = 0;
  for (const Extent& other : others) reach += (other.size - 1) * other.stride;
  const std::int64_t first = std::max(1 - size, -(sum + reach) / stride - 1);
  const std::int64_t last = std::min(size - 1, (reach - sum) / stride + 1);
  for (std::int64_t steps = first; steps <= last && --tries > 0; ++steps) {
    const std::int64_t led_to = sum + steps * stride;
    if (std::abs(led_to) <= reach && meets_itself(others, led_to, has_moved || steps != 0, tries))
      return true;
  }
  return false;
}

Dims contiguous(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

}  // namespace

void check_members(const YamlNode& map, const std::vector<GraphMember>& members,
                   const std::vector<std::string>& others, const std::string& what) {
  std::vector<std::string> known = others;
  for (const GraphMember& member : members) known.push_back(member.name);
  for (const YamlEntry& entry : map.entries) {
    const auto member = std::ranges::find(members, entry.key, &GraphMember::name);
    if (std::ranges::count(known, entry.key) == 0)
      fail_at(entry.at,
              "unknown member '" + entry.key + "' of " + what + allowed_names(entry.key, known));
    if (member == members.end()) continue;
    if (entry.value->kind != Kind::null || !member->takes_null) check_value(entry, *member);
  }
  for (const GraphMember& member : members)
    if (member.is_required && !is_given(find_entry(map, member.name)))
      fail_at(map.at, what + " lacks '" + member.name + "'" +
                          (member.allowed.empty() ? "" : allowed_names("", member.allowed)));
}

void check_tensor(const YamlEntry& tensor) {
  const std::string what = "the tensor '" + tensor.key + "'";
  const YamlNode& node = *tensor.value;
  if (node.kind != Kind::map)
    fail_on_kind(node, what,
                 "a map, such as {dim: [8, 16, 14, 14], stride: [3136, 1, 224, 16]}, or {}");
  check_members(node, graph_tensor_members(), {}, what);
  const YamlEntry *dim = find_entry(node, "dim"), *stride = find_entry(node, "stride");
  if (dim && stride && dim->value->items.size() != stride->value->items.size() &&
      !stride->value->items.empty())
    fail_at(stride->at, what + " has " + std::to_string(dim->value->items.size()) +
                            " dimensions and " + std::to_string(stride->value->items.size()) +
                            " strides");
  if (is_on(node, "is_pass_by_value") && !is_given(find_entry(node, "pass_by_value")))
    fail_at(tensor.at, what +
                           " is passed by value and has none: pass_by_value: {index: 3, value: "
                           "1e-5} is a float");
}

void check_written(const YamlEntry& tensor) {
  constexpr std::int64_t kMostReach = std::int64_t{1} << 60;  // bytes that no memory has
  constexpr std::int64_t kMostTries = 100'000;                // far beyond what shapes take
  const YamlEntry *dim = find_entry(*tensor.value, "dim"),
                  *stride = find_entry(*tensor.value, "stride");
  if (!is_given(dim) || !is_given(stride)) return;
  Dims dims, strides;
  std::vector<Extent> extents;
  std::int64_t reach = 0;
  for (std::size_t i = 0; i < stride->value->items.size(); ++i) {
    const Extent& extent = extents.emplace_back(*integer_in(*dim->value->items[i]),
                                                *integer_in(*stride->value->items[i]));
    dims.push_back(extent.size);
    strides.push_back(extent.stride);
    if (extent.size - 1 > (kMostReach - reach) / extent.stride) return;
    reach += (extent.size - 1) * extent.stride;
  }
  std::erase_if(extents, [](const Extent& extent) { return extent.size == 1; });
  std::ranges::sort(extents, std::greater{}, &Extent::stride);
  std::int64_t tries = kMostTries;
  if (meets_itself(extents, 0, false, tries))
    fail_at(stride->value->at, "the tensor '" + tensor.key + "' " + in_words(dims) +
                                   " is written, and the strides " + in_words(strides) +
                                   " give two of its elements one address; without gaps they are " +
                                   in_words(contiguous(dims)));
}

void check_uids(const YamlNode& tensors) {
  std::map<std::int64_t, std::string> owners;
  for (const YamlEntry& tensor : tensors.entries) {
    const YamlEntry* uid = find_entry(*tensor.value, "uid");
    if (!uid || !is_on(*tensor.value, "uid_assigned")) continue;
    const auto [owner, is_new] = owners.emplace(*integer_in(*uid->value), tensor.key);
    if (!is_new)
      fail_at(uid->value->at, "the tensor '" + tensor.key + "' has the uid " + uid->value->text +
                                  ", which is that of '" + owner->second + "'");
  }
}

std::vector<std::string> inputs_of(const GraphOperation& kind, const YamlNode& node) {
  if (kind.tag != "POINTWISE") return kind.inputs;
  const std::string& name = find_entry(node, "mode")->value->text;
  const int count = std::ranges::find(pointwise_modes(), name, &PointwiseMode::name)->inputs;
  std::vector<std::string> inputs;
  for (int i = 0; i < count; ++i) inputs.push_back("IN_" + std::to_string(i));
  return inputs;
}

void check_shapes(const GraphOperation& kind, const YamlNode& node, const YamlNode& tensors) {
  const std::vector<Shaped> ports = shaped_ports(node, tensors);
  if (ports.empty() || kind.tag == "RESHAPE") return;
  const Shaped& first = ports.front();
  for (const Shaped& shaped : ports)
    if (shaped.dims.size() != first.dims.size())
      fail_on_pair(kind.tag, first, shaped, "they have as many dimensions");
  if (kind.tag.starts_with("CONV_") || kind.tag == "RESAMPLE")
    for (const char* key : {"pre_padding", "post_padding", "stride", "dilation", "window"})
      check_length(node, key, 2, first);
  if (kind.tag == "POINTWISE") check_broadcast(ports);
  if (const Shaped* x = find_port(ports, "X"))
    for (const char* key : {"permutation", "slices"}) check_length(node, key, 0, *x);
  const auto check_pair = [&](const char* tag, const char* a, const char* b, auto check) {
    if (kind.tag != tag) return;
    const Shaped *one = find_port(ports, a), *other = find_port(ports, b);
    if (one && other) check(*one, *other);
  };
  check_pair("MATMUL", "A", "B", check_product);
  check_pair("CONV_FPROP", "X", "W", check_channels);
}

}  // namespace plumbline
