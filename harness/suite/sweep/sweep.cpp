#include "suite/sweep/sweep.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>

#include "suite/schema/keys.h"
#include "suite/sweep/range.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

/// A row whose axis does not yet know all its parameters.
struct LooseRow {
  const YamlNode* map;
  std::size_t index;        // in its list
  const std::string* list;  // "$attention"

  std::string label() const { return "row " + std::to_string(index + 1) + " of " + *list; }
};

bool is_reference(const YamlNode& node) {
  const auto* text = std::get_if<std::string>(&node.value);
  return node.kind == YamlNode::Kind::scalar && text && text->starts_with('$');
}

bool is_map(const YamlNode& node) { return node.kind == YamlNode::Kind::map; }

class AxisReader {
 public:
  AxisReader(const OpParams& params, const Shapes& shapes, const std::string& name,
             const YamlPlace& at, const YamlPtr& node)
      : params_(params), shapes_(shapes), node_(node) {
    axis_.name = name;
    axis_.at = at;
    is_group_ = params.is_group(name);
  }

  SweepAxis read() {
    const bool is_param = params_.find(axis_.name) != nullptr;
    const bool is_row = is_map(*node_) && !is_param && !is_range(*node_);
    if (is_map(*node_) && !is_row) {
      read_values(read_range(*node_, "axis '" + axis_.name + "'"));
      return std::move(axis_);
    }
    const bool is_null = node_->kind == YamlNode::Kind::null;  // checked() explains it
    const auto items =
        is_param && is_null ? std::vector{node_} : read_items(node_, "axis '" + axis_.name + "'");
    const auto is_tied = [](const YamlPtr& item) { return is_map(*item) || is_reference(*item); };
    if (std::ranges::any_of(items, is_tied) && !is_param)
      read_rows(items);
    else
      read_values(items);
    return std::move(axis_);
  }

 private:
  bool is_range(const YamlNode& node) const {
    if (is_group_ || node.entries.empty()) return false;
    return std::ranges::any_of(kRangeKeys, [&](const YamlKey& key) {
      return find_entry(node, key.name) != nullptr && !params_.find(key.name);
    });
  }

  void read_values(const std::vector<YamlPtr>& items) {
    if (is_group_ && !params_.find(axis_.name))
      fail_on_kind(*items.front(), "a value of axis '" + axis_.name + "'",
                   "a map" + group_example());
    params_.check_name(axis_.name, axis_.at);
    axis_.params = {axis_.name};
    for (const YamlPtr& item : items) {
      if (is_map(*item))
        fail_at(item->at, "found a map among the values of the parameter '" + axis_.name +
                              "'; rows belong on an axis of another name (shape: [{" + axis_.name +
                              ": …}]), a range stands alone (" + axis_.name +
                              ": {from: 1, to: 9, step: 2})");
      if (is_reference(*item))
        fail_at(item->at, "found '" + item->text + "' among the values of the parameter '" +
                              axis_.name + "'; shapes belong on an axis of another name (shape: [" +
                              item->text + "])");
      axis_.rows.push_back({item->at, {params_.checked(axis_.name, *item)}});
    }
    check_repetition();
  }

  std::string group_example() const {
    for (const ParamSpec* param : params_.all())
      if (param->name.starts_with(axis_.name + '.'))
        return ", for example {" + param->name.substr(axis_.name.size() + 1) + ": …}";
    return "";
  }

  void read_rows(const std::vector<YamlPtr>& items) {
    const std::string own_list = "axis '" + axis_.name + "'";
    std::vector<LooseRow> rows;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (is_reference(*items[i]))
        add_shape(*items[i], rows);
      else if (is_map(*items[i]))
        rows.push_back({items[i].get(), i, &own_list});
      else
        fail_on_kind(*items[i], "an item of axis '" + axis_.name + "', which has rows,",
                     "a map or the $name of a shape");
    }
    for (const LooseRow& row : rows) collect_params(row);
    for (const LooseRow& row : rows) add_row(row);
    check_repetition();
  }

  void add_shape(const YamlNode& item, std::vector<LooseRow>& rows) const {
    const std::string name = item.text.substr(1);
    const auto found = shapes_.find(name);
    if (found == shapes_.end()) {
      std::vector<std::string> known;
      for (const auto& [key, value] : shapes_) known.push_back("$" + key);
      fail_at(item.at, "unknown shape '" + item.text + "'" + allowed_names(item.text, known));
    }
    for (std::size_t i = 0; i < found->second->items.size(); ++i)
      rows.push_back({found->second->items[i].get(), i, &item.text});
  }

  std::string param_of(const std::string& key) const {
    return is_group_ ? axis_.name + '.' + key : key;
  }

  void collect_params(const LooseRow& row) {
    for (const YamlEntry& entry : row.map->entries) {
      const std::string param = param_of(entry.key);
      if (!known_.insert(param).second) continue;
      params_.check_name(param, entry.at);
      axis_.params.push_back(param);
    }
  }

  void add_row(const LooseRow& row) {
    SweepRow result{row.map->at, {}};
    for (const std::string& param : axis_.params) {
      const auto entry = std::ranges::find_if(
          row.map->entries, [&](const YamlEntry& e) { return param_of(e.key) == param; });
      if (entry != row.map->entries.end()) {
        const YamlNode::Kind kind = entry->value->kind;
        if (kind == YamlNode::Kind::list || kind == YamlNode::Kind::map)
          fail_on_kind(*entry->value, "the value of '" + entry->key + "' in " + row.label(),
                       "a scalar: rows tie single values together, ranges and lists are axes of "
                       "their own");
        result.values.push_back(params_.checked(param, *entry->value));
        continue;
      }
      const ParamSpec* spec = params_.find(param);
      if (!spec || !spec->fallback)
        fail_at(row.map->at,
                row.label() + " lacks '" + param + "', which " +
                    (spec ? params_.op() + " requires" : "other rows of the axis set"));
      result.values.push_back(*spec->fallback);
    }
    axis_.rows.push_back(std::move(result));
  }

  void check_repetition() const {
    std::unordered_set<std::string> seen;
    for (const SweepRow& row : axis_.rows) {
      std::string text;
      for (const Value& value : row.values) text += (text.empty() ? "" : ", ") + to_text(value);
      if (!seen.insert(text).second)
        fail_at(row.at, "axis '" + axis_.name + "' has the same value twice (" + text +
                            "); each may stand once");
    }
  }

  const OpParams& params_;
  const Shapes& shapes_;
  const YamlPtr& node_;
  SweepAxis axis_;
  bool is_group_ = false;  // the axis is named like a parameter group, such as stream
  std::set<std::string> known_;
};

const SweepAxis* axis_of(const std::vector<SweepAxis>& axes, const std::string& param) {
  for (const SweepAxis& axis : axes)
    if (std::ranges::find(axis.params, param) != axis.params.end()) return &axis;
  return nullptr;
}

void add_axis(std::vector<SweepAxis>& axes, SweepAxis axis) {
  for (const std::string& param : axis.params)
    if (const SweepAxis* other = axis_of(axes, param))
      fail_at(axis.at, "axis '" + axis.name + "' sets '" + param + "', which axis '" + other->name +
                           "' sets too; allowed: one axis for each parameter");
  axes.push_back(std::move(axis));
}

void check_complete(const std::vector<SweepAxis>& axes, const OpParams& params,
                    const YamlPlace& at) {
  for (const ParamSpec* param : params.all()) {
    if (param->fallback || axis_of(axes, param->name)) continue;
    const std::string wanted = "'" + param->name + "' (" + kind_in_words(*param) + ": " +
                               param->doc + "), which " + params.op() + " requires";
    const auto rows = std::ranges::find_if(
        axes, [](const SweepAxis& axis) { return axis.params != std::vector{axis.name}; });
    if (rows != axes.end() && param->name != "dtype" && !params.is_group(rows->name))
      fail_at(rows->rows.front().at, "the rows of axis '" + rows->name + "' lack " + wanted +
                                         ", and no other axis sets it");
    fail_at(at, "the sweep lacks " + wanted);
  }
}

}  // namespace

std::vector<SweepAxis> read_sweep(const YamlNode* node, const YamlPlace& at, const OpParams& params,
                                  const Shapes& shapes, std::vector<AxisOverride>& overrides) {
  std::vector<SweepAxis> axes;
  std::set<std::string> replaced;
  if (node && node->kind != YamlNode::Kind::map)
    fail_on_kind(*node, "'sweep'", "a map of axes: cols: [1024, 4096]");
  for (std::size_t i = 0; node && i < node->entries.size(); ++i) {
    const YamlEntry& entry = node->entries[i];
    YamlPtr values = entry.value;
    for (AxisOverride& override : overrides) {
      if (override.axis != entry.key) continue;
      values = override.values;
      override.is_used = true;
      replaced.insert(override.axis);
    }
    add_axis(axes, AxisReader(params, shapes, entry.key, entry.at, values).read());
  }
  for (AxisOverride& override : overrides) {
    const YamlPlace& place = override.values->at;
    if (replaced.contains(override.axis)) continue;
    if (const SweepAxis* other = axis_of(axes, override.axis))
      fail_at(place, "'" + override.axis + "' is set by the rows of axis '" + other->name +
                         "'; replace that axis, for example --set " + other->name + "=$name");
    if (!params.find(override.axis) && !params.is_group(override.axis)) continue;
    override.is_used = true;
    add_axis(axes, AxisReader(params, shapes, override.axis, place, override.values).read());
  }
  check_complete(axes, params, node ? node->at : at);
  return axes;
}

}  // namespace plumbline
