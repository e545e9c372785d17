/// What the columns of another program's table mean, so that its rows become results.
///
/// Pure data, and one operation: filling a pattern with a row's values. import/ reads mappings from
/// YAML and applies them to a file.
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

/// Measurement revision (core/run/run.h) of results that Plumbline did not measure. Their program
/// defines what the metrics mean, so they are compared only with each other.
inline constexpr int kForeignRevision = 0;

/// A text in which `$column` or `${column}` stands for a row's value, and `$$` for a dollar sign.
struct MappedText {
  std::string pattern;
  std::string at;  // where it is written: "mapping.yaml:3:9"

  bool empty() const { return pattern.empty(); }
};

/// The column names in a pattern, in order. Throws Error (without a place) for a dollar sign that
/// no name follows.
std::vector<std::string> names_in_pattern(std::string_view pattern);

/// Replaces every name in the pattern by what `value_of` returns for it.
std::string filled(std::string_view pattern,
                   const std::function<std::string(const std::string& name)>& value_of);

/// A column that becomes samples of a metric.
struct MappedMetric {
  std::string name, column, at;
  std::string unit;           // base unit, as results.csv has it
  double factor = 1;          // multiply a value by this to get `unit`
  std::string separator;      // between the samples of a field; "" = a field is one value
  std::string better = {};    // "more" or "less"; "" = not set
  std::string replaces = {};  // a metric that is left out where this one has a value
  std::string absent = {};    // a text that means that there is no value, besides ""
};

/// An expression over the columns, with its text for messages.
struct MappedExpression {
  ExpressionPtr expression;  // null: not set
  std::string text, at;
};

/// New names for the values of a column.
struct ValueTable {
  std::string column, at;
  std::map<std::string, std::string> values;
  std::optional<std::string> other = {};  // what any other value means; nothing: it is an error
};

/// A step on the way to the rows of a JSON document.
struct RowStep {
  enum class Kind {
    member,  // of an object, by its name
    each,    // every element of a list or member of an object
    named,   // the same; the member's name, or the element's number from 0, is a column
  };
  Kind kind;
  std::string name;  // of the member, or of the column
};

/// Where a JSON document has its rows. Without steps: the elements of the list that the document
/// is, or the document itself.
struct RowPath {
  std::vector<RowStep> steps;
  std::string at;
};

/// A name for a column of a CSV, by its number from 1.
struct NamedColumn {
  std::string name;
  std::size_t number;
  std::string at;
};

/// What it means when several rows belong to one case on one device.
enum class Repeats {
  refused,  // a mistake in the mapping: it does not tell the rows apart
  samples,  // more samples of one visit: not counted as separate processes
  visits,   // measured in separate processes, so verdicts may be reached from them
};

struct ImportMapping {
  std::string path;  // of the mapping file
  MappedText suite, op, backend, device, revision{"1", ""};
  MappedText status, reason, batch;  // empty: UNVERIFIED, none, 1
  char delimiter = ',';              // between the fields of a CSV
  std::vector<NamedColumn> columns;
  RowPath rows;
  MappedText axes;  // "a.b.*": columns that are parameters by the rest of their names
  /// New column, and a pattern with one name: the columns that fit it become rows.
  std::vector<std::pair<std::string, MappedText>> melt;
  std::string source;  // where the data come from, in words
  std::vector<std::pair<std::string, MappedText>> params;
  std::vector<MappedMetric> metrics;
  MappedExpression flops, bytes, where;
  std::vector<std::pair<const EnvironmentField*, MappedText>> environment;
  std::map<std::string, ValueTable> tables;
  Repeats repeats = Repeats::refused;
};

/// A unit of a table, as a multiple of a base unit.
struct ScaledUnit {
  std::string_view name, base;
  double factor;
};
/// "ms" is 1e-3 "s"; nothing for an unknown unit.
std::optional<ScaledUnit> scaled_unit(std::string_view name);
/// All known units.
std::span<const ScaledUnit> scaled_units();
/// Their names: "s, ms, us, …".
std::string known_units();

}  // namespace plumbline
