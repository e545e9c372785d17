/// Columns of a CSV file as a table of rows: each knows its name, its documentation, how to print
/// itself from a struct and how to parse itself back. Header, writer and reader follow from it.
///
/// Knows no struct; tables are in columns.cpp (results.csv) and summary.cpp (summary.csv).
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/run.h"
#include "store/csv/csv_reader.h"
#include "store/csv/csv_writer.h"

namespace plumbline {

template <class Row>
struct CsvColumn {
  std::string_view name;
  std::string_view doc;
  bool required;  // a file without it is refused; the others leave the struct's default
  /// Appends the field's text.
  void (*print)(const Row& row, std::string& out);
  /// Sets the field; returns "" or, where the text cannot be it, what was expected.
  std::string_view (*parse)(std::string_view text, Row& row);
};

inline constexpr bool kRequired = true, kOptional = false;

/// Number as files have it: the shortest decimal that reads back as the same double, `nan`, `inf`.
void append_number(std::string& out, double number);

/// The whole of `text` as a number, locale-free; false where it is none or out of range.
bool parse_number(std::string_view text, double& number);

/// Numbers with ';' between them; unknown ones are `nan`, an empty text is an empty list.
void append_numbers(std::string& out, std::span<const double> numbers);
bool parse_numbers(std::string_view text, std::vector<double>& numbers);

/// Integers with ';' between them.
void append_integers(std::string& out, std::span<const std::int64_t> integers);
bool parse_integers(std::string_view text, std::vector<std::int64_t>& integers);

/// Names with ';' between them.
void append_names(std::string& out, std::span<const std::string> names);
bool parse_names(std::string_view text, std::vector<std::string>& names);

/// Texts with ';' between them, any of them empty; nothing where all are.
void append_texts(std::string& out, std::span<const std::string> texts);
void parse_texts(std::string_view text, std::vector<std::string>& texts);

/// "launch=0.12;prepare=0.001": names with numbers.
inline constexpr std::string_view kSecondsForm = "name=seconds with ';' between";
void append_seconds(std::string& out, const NamedSeconds& seconds);
bool parse_seconds(std::string_view text, NamedSeconds& seconds);

/// Parser of a Status field: sets it, or returns what was expected.
std::string_view parse_status(std::string_view text, Status& status);

template <class Integer>
bool parse_integer(std::string_view text, Integer& value) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

template <class Row, auto Member>
constexpr CsvColumn<Row> text_column(std::string_view name, bool required, std::string_view doc) {
  return {name, doc, required, [](const Row& row, std::string& out) { out += row.*Member; },
          [](std::string_view field, Row& row) {
            (row.*Member).assign(field);
            return std::string_view();
          }};
}

/// Integers from kLowest, which is 0 or 1.
template <class Row, auto Member, int kLowest>
constexpr CsvColumn<Row> count_column(std::string_view name, bool required, std::string_view doc) {
  return {name, doc, required,
          [](const Row& row, std::string& out) { out += std::to_string(row.*Member); },
          [](std::string_view field, Row& row) -> std::string_view {
            if (parse_integer(field, row.*Member) && std::cmp_greater_equal(row.*Member, kLowest))
              return "";
            return kLowest == 0 ? "an integer from 0" : "an integer from 1";
          }};
}

/// double (unknown: kUnknown) or std::optional<double>; an empty field where it is unknown.
template <class Row, auto Member>
constexpr CsvColumn<Row> number_column(std::string_view name, bool required, std::string_view doc) {
  return {name, doc, required,
          [](const Row& row, std::string& out) {
            const std::optional<double> number = row.*Member;
            if (number && !std::isnan(*number)) append_number(out, *number);
          },
          [](std::string_view field, Row& row) -> std::string_view {
            row.*Member = {};
            if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(row.*Member)>>)
              row.*Member = kUnknown;
            double number;
            if (field.empty()) return "";
            if (!parse_number(field, number)) return "a number, or nothing where it is unknown";
            row.*Member = number;
            return "";
          }};
}

template <class Row, auto Member>
constexpr CsvColumn<Row> numbers_column(std::string_view name, bool required,
                                        std::string_view doc) {
  return {name, doc, required,
          [](const Row& row, std::string& out) { append_numbers(out, row.*Member); },
          [](std::string_view field, Row& row) -> std::string_view {
            return parse_numbers(field, row.*Member) ? "" : "numbers with ';' between them";
          }};
}

template <class Row, auto Member>
constexpr CsvColumn<Row> integers_column(std::string_view name, bool required,
                                         std::string_view doc) {
  return {name, doc, required,
          [](const Row& row, std::string& out) { append_integers(out, row.*Member); },
          [](std::string_view field, Row& row) -> std::string_view {
            return parse_integers(field, row.*Member) ? "" : "integers with ';' between them";
          }};
}

template <class Row, auto Member>
constexpr CsvColumn<Row> texts_column(std::string_view name, bool required, std::string_view doc) {
  return {name, doc, required,
          [](const Row& row, std::string& out) { append_texts(out, row.*Member); },
          [](std::string_view field, Row& row) {
            parse_texts(field, row.*Member);
            return std::string_view();
          }};
}

template <class Row, auto Member>
constexpr CsvColumn<Row> names_column(std::string_view name, bool required, std::string_view doc) {
  return {name, doc, required,
          [](const Row& row, std::string& out) { append_names(out, row.*Member); },
          [](std::string_view field, Row& row) -> std::string_view {
            return parse_names(field, row.*Member) ? "" : "names with ';' between them";
          }};
}

template <class Row, auto Member>
constexpr CsvColumn<Row> seconds_column(std::string_view name, bool required,
                                        std::string_view doc) {
  return {name, doc, required,
          [](const Row& row, std::string& out) { append_seconds(out, row.*Member); },
          [](std::string_view field, Row& row) -> std::string_view {
            return parse_seconds(field, row.*Member) ? "" : kSecondsForm;
          }};
}

template <class Row>
constexpr CsvColumn<Row> status_column(std::string_view doc) {
  return {"status", doc, kRequired,
          [](const Row& row, std::string& out) { out += name_of(row.status); },
          [](std::string_view field, Row& row) { return parse_status(field, row.status); }};
}

/// First line of a file, with its newline.
template <class Row>
std::string header_of(std::span<const CsvColumn<Row>> table) {
  std::string line;
  for (const CsvColumn<Row>& column : table) append_csv_field(line, column.name, line.empty());
  end_csv_row(line);
  return line;
}

/// Appends `row` as one line.
template <class Row>
void append_fields(std::span<const CsvColumn<Row>> table, const Row& row, std::string& out) {
  std::string field;
  for (const CsvColumn<Row>& column : table) {
    field.clear();
    column.print(row, field);
    append_csv_field(out, field, &column == table.data());
  }
  end_csv_row(out);
}

/// Which columns of a file are which of the table's: in any order, unknown ones left out.
template <class Row>
class ColumnBinding {
 public:
  /// Throws Error where a required column is missing.
  ColumnBinding(const CsvReader& reader, std::span<const CsvColumn<Row>> table,
                const std::string& path) {
    for (const std::string& name : reader.header()) {
      const auto found = std::ranges::find(table, std::string_view(name), &CsvColumn<Row>::name);
      columns_.push_back(found == table.end() ? nullptr : &*found);
    }
    for (const CsvColumn<Row>& column : table)
      if (column.required && std::ranges::find(columns_, &column) == columns_.end())
        throw Error(
            path + ": header: column " + std::string(column.name) + " is missing; found " +
            (columns_.empty() ? "nothing" : named(reader)) +
            "; expected a file with at least the required columns of harness/store/README.md");
  }

  /// The row that the reader is at.
  Row parse(const CsvReader& reader) const {
    Row row;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i]) continue;
      const std::string_view expected = columns_[i]->parse(reader.field(i), row);
      if (!expected.empty()) reader.fail(i, shown(reader.field(i)), expected);
    }
    return row;
  }

  /// Position of a column in the file, by its name.
  std::size_t position(std::string_view name) const {
    const auto found = std::ranges::find_if(
        columns_, [&](const CsvColumn<Row>* column) { return column && column->name == name; });
    return static_cast<std::size_t>(found - columns_.begin());
  }

 private:
  static std::string named(const CsvReader& reader) {
    std::string names;
    for (const std::string& name : reader.header()) names += (names.empty() ? "" : ",") + name;
    return shown(names);
  }

  std::vector<const CsvColumn<Row>*> columns_;
};

}  // namespace plumbline
