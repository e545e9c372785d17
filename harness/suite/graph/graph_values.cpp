#include "suite/graph/graph_values.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>

#include "suite/graph/graph_operation_shapes.h"
#include "suite/yaml/reader.h"

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
  if (member.allowed.empty()) return check_any_text(entry);
  if (node.kind == Kind::scalar && std::ranges::count(member.allowed, node.text) > 0) return;
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
    case GraphValue::off:
      if (node.kind == Kind::null || node.value == Value(false)) return;
      fail_at(node.at, what + " is " + in_words(node) +
                           "; cudnn-frontend writes it and cannot read it again, so that it is "
                           "false or not there");
  }
}

bool is_given(const YamlEntry* entry) { return entry && entry->value->kind != Kind::null; }

bool is_on(const YamlNode& map, std::string_view key) {
  const YamlEntry* entry = find_entry(map, key);
  return entry && entry->value->value == Value(true);
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

/// What is in memory is counted in 64 bits, by whoever adds sizes times strides.
void check_extent(const std::string& what, const YamlEntry& dim, const YamlEntry* stride) {
  constexpr std::int64_t kMost = std::int64_t{1} << 48;
  const Dims dims = integers_of(*dim.value);
  const Dims strides = stride ? integers_of(*stride->value) : Dims{};
  std::int64_t elements = 1, reach = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (elements > kMost / dims[i])
      fail_at(dim.value->at, what + " " + sizes_in_words(dims) +
                                 " has more than 2^48 elements, which no memory has");
    elements *= dims[i];
    if (strides.empty()) continue;
    if (dims[i] - 1 > (kMost - reach) / strides[i])
      fail_at(stride->value->at, what + " " + sizes_in_words(dims) +
                                     " reaches beyond 2^48 elements by its strides, which no "
                                     "memory has");
    reach += (dims[i] - 1) * strides[i];
  }
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

void check_any_text(const YamlEntry& entry) {
  const YamlNode& node = *entry.value;
  const bool is_empty = node.kind == Kind::scalar && node.value == Value(std::string());
  if (!is_empty) read_text(node, "'" + entry.key + "'");
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
  const YamlEntry* value = find_entry(node, "pass_by_value");
  if (is_given(value) && !is_on(node, "is_pass_by_value"))
    fail_at(tensor.at, what + " has 'pass_by_value' and lacks is_pass_by_value: true");
  if (dim) check_extent(what, *dim, stride);
  if (is_on(node, "is_pass_by_value") && !is_given(value))
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
    fail_at(stride->value->at, "the tensor '" + tensor.key + "' " + sizes_in_words(dims) +
                                   " is written, and the strides " + sizes_in_words(strides) +
                                   " give two of its elements one address; without gaps they are " +
                                   sizes_in_words(contiguous(dims)));
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
  const YamlEntry *mode = find_entry(node, "mode"), *inputs = find_entry(node, "inputs");
  return graph_inputs(kind, mode ? mode->value->text : "",
                      inputs ? inputs->value->entries.size() : 0);
}

Dims contiguous(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

}  // namespace plumbline
