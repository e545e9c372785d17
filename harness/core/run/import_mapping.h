/// What the columns of another program's table mean, so that its rows become results.
///
/// Pure data, and the one thing that is done with it: a pattern filled with a row's values. suite/
/// reads it from YAML, store/ applies it to a file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/expression/expression.h"
#include "core/run/environment.h"

namespace plumbline {

/// Measurement revision (core/run/run.h) of what Plumbline did not measure: what its metrics mean
/// is its own program's to say, so that it is compared with its like alone.
inline constexpr int kForeignRevision = 0;

/// A text in which `$column` or `${column}` stands for a row's value, and `$$` for a dollar.
struct MappedText {
  std::string pattern;
  std::string at;  // where it was written: "mapping.yaml:3:9"

  bool empty() const { return pattern.empty(); }
};

/// The names that a pattern asks for, in their order. Throws Error (without a place) for a dollar
/// that begins no name.
std::vector<std::string> names_in_pattern(std::string_view pattern);

/// The pattern with every name replaced by what `value_of` gives for it.
std::string filled(std::string_view pattern,
                   const std::function<std::string(const std::string& name)>& value_of);

/// A column that becomes samples of a metric.
struct MappedMetric {
  std::string name, column, at;
  std::string unit;         // base unit, as results.csv has it
  double factor = 1;        // what a value is multiplied with to be in `unit`
  std::string separator;    // between the samples of a field; "" = a field is one value
  std::string better = {};  // "more" or "less"; "" = not said
};

/// An expression over the columns; its text for messages.
struct MappedExpression {
  ExpressionPtr expression;  // null: not said
  std::string text, at;
};

/// A name of its own for what a column's values mean.
struct ValueTable {
  std::string column, at;
  std::map<std::string, std::string> values;
};

/// What several rows of one case on one device are.
enum class Repeats {
  refused,  // a mistake in the mapping: something that tells them apart is missing
  samples,  // further values of one visit: no process of its own is claimed for them
  visits,   // measured in processes of their own, so that verdicts may be reached from them
};

struct ImportMapping {
  std::string path;  // of the mapping itself
  MappedText suite, op, backend, device, revision{"1", ""};
  std::string source;  // where the data are from, in words
  std::vector<std::pair<std::string, MappedText>> params;
  std::vector<MappedMetric> metrics;
  MappedExpression flops, bytes, where;
  std::vector<std::pair<const EnvironmentField*, MappedText>> environment;
  std::map<std::string, ValueTable> tables;
  Repeats repeats = Repeats::refused;
};

/// A unit of a table and the base unit that it is a multiple of.
struct ScaledUnit {
  std::string_view name, base;
  double factor;
};
/// "ms" is 1e-3 "s"; nothing for a unit that is not known.
std::optional<ScaledUnit> scaled_unit(std::string_view name);
/// All that are known.
std::span<const ScaledUnit> scaled_units();
/// Their names: "s, ms, us, …".
std::string known_units();

}  // namespace plumbline
