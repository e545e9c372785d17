/// `where:`, a condition over a case and over the device that it is to run on.
///
/// Knows the names that a condition may ask for; where their values come from is the caller's.
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
  Value operand;  // a text may be a pattern (suite/yaml/pattern.h)
};

/// `key: test`, or `key: [value, …]`, which holds where one of them does.
struct ConditionTerm {
  std::string key;
  std::vector<ConditionTest> any;
};

/// All terms hold, and the expression, if there is one, is true.
struct Condition {
  std::vector<ConditionTerm> terms;
  ExpressionPtr expression;  // or null
  std::string text;          // as written, for messages
};

/// Reads a map of terms or one expression. `swept` are the parameters that axes set.
Condition read_condition(const YamlNode& node, const OpParams& params,
                         const std::vector<std::string>& swept);

/// Throws Error for a name that `lookup` does not know, and what the expression throws.
bool holds(const Condition& condition, const Lookup& lookup);

/// All names that the condition asks for, sorted.
std::vector<std::string> names_in(const Condition& condition);

/// `device.memory` and the like: known only where a device is.
inline bool is_device_name(std::string_view name) { return name.starts_with("device."); }

/// What of the condition can be told without a device, and what cannot. A term belongs to one of
/// them; an expression that names the device belongs to the second as a whole.
struct SplitCondition {
  Condition now, later;
};
SplitCondition split(const Condition& condition);
inline bool is_empty(const Condition& c) { return c.terms.empty() && !c.expression; }

}  // namespace plumbline
