#include "suite/sweep/condition.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "core/pattern.h"
#include "suite/schema/keys.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

/// Names that conditions can use besides the op's parameters.
const std::vector<ParamSpec>& surroundings() {
  static const std::vector<ParamSpec> kSurroundings{
      {"backend", ParamKind::text, {}, {}, {std::begin(kBackends), std::end(kBackends)}, ""},
      {"op", ParamKind::text, {}, {}, {}, ""},
      {"device.kind", ParamKind::text, {}, {}, {"cpu", "cuda"}, ""},
      {"device.memory", ParamKind::integer, {}, 0, {}, ""},
      {"device.model", ParamKind::text, {}, {}, {}, ""},
      {"device.units", ParamKind::integer, {}, 0, {}, ""},
  };
  return kSurroundings;
}

const ParamSpec* surrounding(std::string_view name) {
  const auto found = std::ranges::find(surroundings(), name, &ParamSpec::name);
  return found == surroundings().end() ? nullptr : &*found;
}

constexpr std::array<std::pair<std::string_view, Relation>, 6> kRelations{{
    {"==", Relation::equal},
    {"!=", Relation::unequal},
    {"<=", Relation::at_most},
    {">=", Relation::at_least},
    {"<", Relation::below},
    {">", Relation::above},
}};

class ConditionReader {
 public:
  ConditionReader(const OpParams& params, const std::vector<std::string>& swept)
      : params_(params), known_(params.names()) {
    for (const std::string& name : swept)
      if (!params.find(name)) known_.push_back(name);
    for (const ParamSpec& param : surroundings()) known_.push_back(param.name);
  }

  Condition read(const YamlNode& node) const {
    Condition condition;
    if (node.kind == YamlNode::Kind::map && !node.entries.empty()) {
      for (const YamlEntry& entry : node.entries) {
        condition.terms.push_back(term(entry));
        condition.text +=
            (condition.text.empty() ? "" : ", ") + entry.key + ": " + shown(*entry.value);
      }
      return condition;
    }
    if (node.kind != YamlNode::Kind::scalar || node.value.index() != 3)
      fail_on_kind(node, "'where'",
                   "a map of conditions {dtype: float16, rows: \"> 1024\"} or one expression "
                   "\"rows * cols > 4096\"");
    condition.text = node.text;
    condition.expression = parse_expression_at(node, node.text);
    check_names(*condition.expression, node.at, node.text, known_,
                "; a text is quoted: dtype == 'float16'");
    return condition;
  }

 private:
  static std::string shown(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::list) return node.text;
    std::vector<std::string> items;
    for (const YamlPtr& item : node.items) items.push_back(item->text);
    return "[" + joined(items) + "]";
  }

  ConditionTerm term(const YamlEntry& entry) const {
    if (std::ranges::find(known_, entry.key) == known_.end())
      fail_at(entry.at, "unknown name '" + entry.key + "' in 'where' for " + params_.op() +
                            allowed_names(entry.key, known_));
    ConditionTerm term{entry.key, {}};
    const bool is_list = entry.value->kind == YamlNode::Kind::list;
    const auto items = is_list ? read_items(entry.value, "'" + entry.key + "' in 'where'")
                               : std::vector{entry.value};
    for (const YamlPtr& item : items) {
      term.any.push_back(test(entry.key, *item));
      if (is_list && term.any.back().relation != Relation::equal)
        fail_at(item->at, "found the comparison '" + item->text +
                              "' in a list; a list holds values, of which one must be met");
    }
    return term;
  }

  ConditionTest test(const std::string& key, const YamlNode& node) const {
    if (node.kind == YamlNode::Kind::list || node.kind == YamlNode::Kind::map)
      fail_on_kind(node, "'" + key + "' in 'where'", "a value, a list or a comparison \"> 1024\"");
    ConditionTest test{Relation::equal, node.value};
    YamlNode operand = node;
    if (const auto* text = std::get_if<std::string>(&node.value)) {
      std::string_view rest = *text;
      for (const auto& [sign, relation] : kRelations) {
        if (!rest.starts_with(sign)) continue;
        test.relation = relation;
        rest.remove_prefix(sign.size());
        break;
      }
      rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(' ')));
      operand.text = std::string(rest);
      operand.value = operand.text;
      if (auto number = number_with_unit(rest); number && !is_text(key)) operand.value = *number;
    }
    test.operand = checked(key, operand, test.relation);
    return test;
  }

  const ParamSpec* find(const std::string& key) const {
    const ParamSpec* param = params_.find(key);
    return param ? param : surrounding(key);
  }

  bool is_text(const std::string& key) const {
    const ParamSpec* param = find(key);
    return param && param->kind == ParamKind::text;
  }

  Value checked(const std::string& key, const YamlNode& operand, Relation relation) const {
    const std::string what = "'" + key + "' in 'where'";
    const bool is_number = operand.value.index() == 1 || operand.value.index() == 2;
    if (relation != Relation::equal && relation != Relation::unequal) {
      const ParamSpec* param = find(key);
      const bool is_ordered =
          !param || param->kind == ParamKind::integer || param->kind == ParamKind::number;
      if (!is_ordered)
        fail_at(operand.at, what + " is compared with a < or >, but it is " +
                                kind_in_words(*param) + "; allowed: a value, \"!= value\"");
      if (!is_number)
        fail_at(operand.at,
                "found '" + operand.text + "' behind the comparison; " + what +
                    " compares with a number, with KiB, MiB, GiB, KB, MB, GB if need be");
      return operand.value;
    }
    if (operand.value.index() == 3 && is_pattern(operand.text) && is_text(key))
      return operand.value;
    if (const ParamSpec* around = surrounding(key))
      return checked_value(*around, operand, [&] { return what; });
    return params_.checked(key, operand);
  }

  const OpParams& params_;
  std::vector<std::string> known_;
};

double as_number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return double(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  throw Error("found " + std::string(kind_in_words(value)) + " '" + to_text(value) +
              "' where a number is compared");
}

bool is_equal(const Value& value, const Value& operand) {
  const auto* text = std::get_if<std::string>(&value);
  const auto* pattern = std::get_if<std::string>(&operand);
  return text && pattern ? matches_pattern(*text, *pattern) : same_value(value, operand);
}

bool holds(const ConditionTest& test, const Value& value) {
  switch (test.relation) {
    case Relation::equal:
      return is_equal(value, test.operand);
    case Relation::unequal:
      return !is_equal(value, test.operand);
    case Relation::below:
      return as_number(value) < as_number(test.operand);
    case Relation::at_most:
      return as_number(value) <= as_number(test.operand);
    case Relation::above:
      return as_number(value) > as_number(test.operand);
    case Relation::at_least:
      return as_number(value) >= as_number(test.operand);
  }
  return false;
}

}  // namespace

Condition read_condition(const YamlNode& node, const OpParams& params,
                         const std::vector<std::string>& swept) {
  return ConditionReader(params, swept).read(node);
}

bool holds(const Condition& condition, const Lookup& lookup) {
  for (const ConditionTerm& term : condition.terms) {
    const auto value = lookup(term.key);
    if (!value) throw Error("'" + term.key + "' is not known here");
    if (std::ranges::none_of(term.any, [&](const auto& test) { return holds(test, *value); }))
      return false;
  }
  if (!condition.expression) return true;
  const Value value = evaluate(*condition.expression, lookup);
  if (const bool* answer = std::get_if<bool>(&value)) return *answer;
  throw Error("column 1: found " + std::string(kind_in_words(value)) + " '" + to_text(value) +
              "', expected true or false");
}

std::vector<std::string> names_in(const Condition& condition) {
  std::vector<std::string> names;
  for (const ConditionTerm& term : condition.terms) names.push_back(term.key);
  if (condition.expression)
    std::ranges::copy(names_in(*condition.expression), std::back_inserter(names));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

SplitCondition split(const Condition& condition) {
  SplitCondition parts;
  parts.now.text = parts.later.text = condition.text;
  for (const ConditionTerm& term : condition.terms)
    (is_device_name(term.key) ? parts.later : parts.now).terms.push_back(term);
  if (condition.expression) {
    const bool asks_device = std::ranges::any_of(names_in(*condition.expression), is_device_name);
    (asks_device ? parts.later : parts.now).expression = condition.expression;
  }
  return parts;
}

}  // namespace plumbline
