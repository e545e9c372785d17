#include "import/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "store/csv/csv_reader.h"

namespace plumbline {
namespace {

std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

}  // namespace

Value value_of_field(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  std::int64_t integer;
  if (parse_integer(text, integer)) return integer;
  double number;
  if (!text.empty() && parse_number(text, number) && std::isfinite(number)) return number;
  return std::string(text);
}

Columns::Columns(const ForeignTable& table, const ImportMapping& mapping, std::string file,
                 Missing optional)
    : table_(table), mapping_(mapping), file_(std::move(file)), optional_(optional) {
  for (std::size_t i = 0; i < table.header().size(); ++i) positions_[table.header()[i]] = i;
  for (const auto& [name, values] : mapping.tables) {
    if (positions_.contains(name))
      throw Error(values.at + ": the table '" + name + "' has the name of a column of " + file_ +
                  "; give it another");
    require(values.column, values.at, false);
  }
  require_all();
  require_a_metric();
  find_axes();
}

void Columns::add_notes(std::vector<std::string>& notes) const {
  std::vector<std::string> unused;
  for (const std::string& name : table_.header())
    if (!used_.contains(name)) unused.push_back(name);
  if (!unused.empty()) notes.push_back("columns that the mapping does not use: " + joined(unused));
  if (!missing_.empty())
    notes.push_back("paths of the mapping that no row has: " +
                    joined({missing_.begin(), missing_.end()}));
}

std::optional<std::size_t> Columns::position(const std::string& column) const {
  const auto found = positions_.find(column);
  return found == positions_.end() ? std::nullopt : std::optional(found->second);
}

std::string Columns::text(const std::string& name) const {
  const auto table = mapping_.tables.find(name);
  if (table == mapping_.tables.end()) {
    const auto column = position(name);
    return column ? std::string(table_.field(*column)) : "";
  }
  const std::size_t column = positions_.at(table->second.column);
  const auto found = table->second.values.find(std::string(table_.field(column)));
  if (found != table->second.values.end()) return found->second;
  if (table->second.other) return *table->second.other;
  std::string known;
  for (const auto& [value, meaning] : table->second.values)
    known += (known.empty() ? "" : ", ") + shown(value);
  table_.fail(column, shown(table_.field(column)),
              fmt::format("one of table '{}' at {}: {}", name, table->second.at, known));
}

std::string Columns::filled(const MappedText& pattern) const {
  return plumbline::filled(pattern.pattern, [this](const std::string& name) { return text(name); });
}

Value Columns::evaluated(const MappedExpression& expression) const {
  try {
    return evaluate(*expression.expression, [this](std::string_view name) {
      return std::optional(value_of_field(text(std::string(name))));
    });
  } catch (const Error& error) {
    throw Error(fmt::format("{}: '{}' of {}: {}", expression.at, expression.text, table_.place(),
                            error.what()));
  }
}

void Columns::require(const std::string& name, const std::string& at, bool may_be_table,
                      Missing missing) {
  if (may_be_table && mapping_.tables.contains(name)) return;
  if (positions_.contains(name)) {
    used_.insert(name);
    return;
  }
  if (missing == Missing::told) {
    missing_.insert(name);
    return;
  }
  std::vector<std::string> known = table_.header();
  if (may_be_table)
    for (const auto& [table, values] : mapping_.tables) known.push_back(table);
  const std::string near = nearest_name(name, known);
  std::string all = joined(known);
  if (table_.header().size() == 1 && all.find_first_of(";\t|") != std::string::npos)
    all += fmt::format(", one column; fields are told apart by '{}'", mapping_.delimiter);
  throw Error(at + ": the column '" + name + "' is not in " + file_ +
              (near.empty() ? "; it has: " + all : "; did you mean '" + near + "'?"));
}

void Columns::require_all() {
  const auto pattern = [&](const MappedText& text, Missing missing = Missing::refused) {
    for (const std::string& name : names_in_pattern(text.pattern))
      require(name, text.at, true, missing);
  };
  for (const MappedText* text : {&mapping_.suite, &mapping_.op, &mapping_.backend, &mapping_.device,
                                 &mapping_.revision, &mapping_.status, &mapping_.batch})
    pattern(*text);
  pattern(mapping_.reason, optional_);
  for (const auto& [name, text] : mapping_.params) pattern(text);
  for (const auto& [field, text] : mapping_.environment) pattern(text, optional_);
  for (const MappedMetric& metric : mapping_.metrics)
    require(metric.column, metric.at, false, optional_);
  for (const MappedExpression* one : {&mapping_.flops, &mapping_.bytes, &mapping_.where})
    if (one->expression)
      for (const std::string& name : names_in(*one->expression)) require(name, one->at, true);
}

void Columns::require_a_metric() {
  for (const MappedMetric& metric : mapping_.metrics)
    if (positions_.contains(metric.column)) return;
  require(mapping_.metrics.front().column, mapping_.metrics.front().at, false);
}

void Columns::find_axes() {
  if (mapping_.axes.empty()) return;
  const std::string_view start =
      std::string_view(mapping_.axes.pattern).substr(0, mapping_.axes.pattern.size() - 1);
  for (std::size_t i = 0; i < table_.header().size(); ++i) {
    const std::string& name = table_.header()[i];
    if (!name.starts_with(start) || used_.contains(name)) continue;
    const std::string axis = name.substr(start.size());
    for (const auto& [param, text] : mapping_.params)
      if (param == axis)
        throw Error(
            fmt::format("{}: the column '{}' of {} is the parameter '{}', which 'params' "
                        "has at {}; leave one of them out",
                        mapping_.axes.at, name, file_, axis, text.at));
    axes_.emplace_back(axis, i);
    used_.insert(name);
  }
}

}  // namespace plumbline
