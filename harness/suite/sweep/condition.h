/// `where:`, a condition over a case and its device.
///
/// Knows the names that a condition can use; the caller supplies their values.
#pragma once

#include <string>
#include <vector>

#include "core/expression/expression.h"
#include "suite/declared/op_params.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

enum class Relation { equal, unequal, below, at_most, above, at_least };

struct ConditionTest {
  Relation relation = Relation::equal;
  Value operand;  // a text may be a pattern (core/pattern.h)
};

/// `key: test`, or `key: [value, …]`, which holds if any value does.
struct ConditionTerm {
  std::string key;
  std::vector<ConditionTest> any;
};

/// Holds if all terms hold and the expression, if there is one, is true.
struct Condition {
  std::vector<ConditionTerm> terms;
  ExpressionPtr expression;  // or null
  std::string text;          // as written, for messages
};

/// Reads a map of terms or one expression. `swept`: the parameters that axes set.
Condition read_condition(const YamlNode& node, const OpParams& params,
                         const std::vector<std::string>& swept);

/// Throws Error for a name that `lookup` does not know, and for errors of the expression.
bool holds(const Condition& condition, const Lookup& lookup);

/// All names that the condition uses, sorted.
std::vector<std::string> names_in(const Condition& condition);

/// Whether it is a device property such as `device.memory`, known only once the device is.
inline bool is_device_name(std::string_view name) { return name.starts_with("device."); }

/// The parts of a condition that can and cannot be decided without a device. Each term belongs to
/// one part; an expression that uses a device property belongs to the second as a whole.
struct SplitCondition {
  Condition now, later;
};
SplitCondition split(const Condition& condition);
inline bool is_empty(const Condition& c) { return c.terms.empty() && !c.expression; }

}  // namespace plumbline
