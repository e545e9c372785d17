/// Columns of a CSV file as a table of rows. Each column has its name and documentation, prints its
/// field of a struct and parses it back. The table defines header, writer and reader.
///
/// A column is made from a member's type; column.cpp defines the text of each type. Knows no
/// struct; the tables are in columns.cpp (results.csv) and summary.cpp (summary.csv).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/run/result_fields.h"
#include "core/value.h"
#include "store/csv/csv_reader.h"
#include "store/csv/csv_writer.h"

namespace plumbline {

/// What the fields of a column are, for formats that know types.
enum class ColumnKind { text, whole, number };

template <class Member>
constexpr ColumnKind kind_of_member() {
  if constexpr (std::is_same_v<Member, double> || std::is_same_v<Member, std::optional<double>>)
    return ColumnKind::number;
  return std::is_integral_v<Member> ? ColumnKind::whole : ColumnKind::text;
}

template <class Row>
struct CsvColumn {
  std::string_view name;
  std::string_view doc;
  bool required;  // a file without it is refused; others keep the default
  /// Appends the field's text.
  void (*print)(const Row& row, std::string& out);
  /// Sets the field. Returns "", or what was expected if the text is invalid.
  std::string_view (*parse)(std::string_view text, Row& row);
  std::string_view written = "";  // how the text is written; "" = as one expects
  ColumnKind kind = ColumnKind::text;
};

/// A number in a file: the shortest decimal that reads back as the same double, `nan`, `inf`.
void append_number(std::string& out, double number);

/// Prints a field. Unknown numbers are empty; list items are separated by ';' (unknown ones are
/// `nan`), blocks of samples by '|'; seconds look like "launch=0.12;prepare=0.001". Single texts of
/// a list may be empty; if all are, nothing is printed.
void print_field(const std::string& text, std::string& out);
void print_field(std::int64_t integer, std::string& out);
void print_field(std::size_t count, std::string& out);
void print_field(double number, std::string& out);
void print_field(const std::optional<double>& number, std::string& out);
void print_field(Status status, std::string& out);
void print_field(const std::vector<double>& numbers, std::string& out);
void print_field(const std::vector<std::int64_t>& integers, std::string& out);
void print_field(const std::vector<std::string>& texts, std::string& out);
void print_field(const NamedSeconds& seconds, std::string& out);
void print_field(const SampleSet& samples, std::string& out);

/// Parses what print_field wrote. Returns "", or what was expected.
std::string_view parse_field(std::string_view field, std::string& text);
std::string_view parse_field(std::string_view field, std::int64_t& integer);  // from 0
std::string_view parse_field(std::string_view field, std::size_t& count);
std::string_view parse_field(std::string_view field, double& number);
std::string_view parse_field(std::string_view field, std::optional<double>& number);
std::string_view parse_field(std::string_view field, Status& status);
std::string_view parse_field(std::string_view field, std::vector<double>& numbers);
std::string_view parse_field(std::string_view field, std::vector<std::int64_t>& integers);
std::string_view parse_field(std::string_view field, std::vector<std::string>& texts);
std::string_view parse_field(std::string_view field, NamedSeconds& seconds);
std::string_view parse_field(std::string_view field, SampleSet& samples);

/// For FieldForm::from_one and FieldForm::names.
std::string_view parse_from_one(std::string_view field, std::int64_t& integer);
std::string_view parse_names(std::string_view field, std::vector<std::string>& names);

/// The table for harness/store/README.md.
template <class Row>
std::string markdown_of(std::span<const CsvColumn<Row>> columns) {
  std::string table = "| column | required | what it holds |\n|---|---|---|\n";
  for (const CsvColumn<Row>& column : columns) {
    std::string doc(column.doc);
    if (!column.written.empty()) doc.append(", ").append(column.written);
    for (std::size_t at = 0; (at = doc.find('|', at)) != std::string::npos; at += 2)
      doc.insert(at, "\\");
    table += "| `" + std::string(column.name) + "` | " + (column.required ? "yes" : "no") + " | " +
             doc + " |\n";
  }
  return table;
}

template <class Row, auto Member, FieldForm form = FieldForm::usual>
constexpr CsvColumn<Row> csv_column(std::string_view name, bool required, std::string_view doc,
                                    std::string_view written = "") {
  return {name,
          doc,
          required,
          [](const Row& row, std::string& out) { print_field(row.*Member, out); },
          [](std::string_view field, Row& row) {
            if constexpr (form == FieldForm::from_one) return parse_from_one(field, row.*Member);
            if constexpr (form == FieldForm::names) return parse_names(field, row.*Member);
            if constexpr (form == FieldForm::checked) {
              auto unkept = row.*Member;
              return parse_field(field, unkept);
            }
            if constexpr (form == FieldForm::usual) return parse_field(field, row.*Member);
          },
          written,
          kind_of_member<std::remove_reference_t<decltype(std::declval<Row&>().*Member)>>()};
}

/// The first line of a file, with its newline.
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

/// Maps the columns of a file to those of the table: in any order, unknown ones ignored.
template <class Row>
class ColumnBinding {
 public:
  /// Throws Error if a required column is missing.
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

  /// Parses the reader's current row.
  Row parse(const CsvReader& reader) const {
    Row row;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i]) continue;
      const std::string_view expected = columns_[i]->parse(reader.field(i), row);
      if (!expected.empty()) reader.fail(i, shown(reader.field(i)), expected);
    }
    return row;
  }

  /// Position in the file of the column with that name.
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
