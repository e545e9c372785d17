#include "store/csv/columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/error.h"

namespace plumbline {
namespace {

void print_part(const ResultRow& row, std::string& out) {
  out += std::to_string(row.part) + "/" + std::to_string(row.parts);
}

std::string_view parse_part(std::string_view field, ResultRow& row) {
  const std::size_t slash = field.find('/');
  const bool fine =
      slash != std::string_view::npos && parse_integer(field.substr(0, slash), row.part) &&
      parse_integer(field.substr(slash + 1), row.parts) && row.part >= 1 && row.part <= row.parts;
  return fine ? "" : "I/N with I from 1 to N, such as 1/2";
}

template <auto Member, FieldForm form>
constexpr CsvColumn<ResultRow> column_of(const ResultField<Member, form>& field) {
  if constexpr (form == FieldForm::part)
    return {field.name, field.doc, field.is_required, print_part, parse_part};
  else
    return csv_column<ResultRow, Member, form>(field.name, field.is_required, field.doc,
                                               field.in_csv);
}

constexpr std::array kColumns =
    std::apply([](const auto&... field) { return std::array{column_of(field)...}; }, kResultFields);

std::string count_of(std::size_t n, std::string_view thing) {
  return std::to_string(n) + " " + std::string(thing) + (n == 1 ? "" : "s");
}

/// Checks the names that identify a result.
RowMistake names_mistake(const ResultRow& row) {
  struct Name {
    std::string_view column;
    const std::string& text;
    bool is_needed;
    const char* expected;
  };
  const bool has_samples = !row.samples.empty();
  for (const Name& name :
       {Name{"suite", row.suite, true, "the name of a suite"},
        Name{"case", row.case_id, true, "the id of a case, op/backend/key=value/…"},
        Name{"metric", row.metric, has_samples, "the name of what the samples measure"},
        Name{"unit", row.unit, has_samples, "the unit of the samples, such as s"}})
    if (name.is_needed && name.text.find_first_not_of(" \t") == std::string::npos)
      return {name.column, shown(name.text), name.expected};
  return {};
}

RowMistake samples_mistake(const ResultRow& row) {
  if (has_samples(row.status) && row.samples.empty())
    return {"samples", "none",
            "samples, because the status is " + std::string(name_of(row.status))};
  for (std::size_t i = 0; i < row.samples.blocks(); ++i)
    if (row.samples.block(i).empty()) return {"samples", "an empty block", "samples in each"};
  for (const double sample : row.samples.values())
    if (!(std::abs(sample) <= kLargestSample)) {
      std::string found;
      append_number(found, sample);
      return {"samples", found,
              std::isfinite(sample) ? std::string(kSampleSizes) : "finite numbers"};
    }
  return {};
}

RowMistake lists_mistake(const ResultRow& row) {
  const std::size_t blocks = row.samples.blocks();
  struct List {
    std::string_view column;
    std::size_t size;
    std::string_view thing;
  };
  for (const List& list : {List{"block_times", row.block_times_s.size(), "number"},
                           List{"block_clocks", row.block_clocks_hz.size(), "number"},
                           List{"block_placements", row.block_placements.size(), "number"},
                           List{"block_causes", row.block_causes.size(), "text"}})
    if (list.size != 0 && list.size != blocks)
      return {list.column, count_of(list.size, list.thing),
              "one for each block of the samples, " + std::to_string(blocks)};
  for (const std::string& cause : row.block_causes)
    if (cause.find(';') != std::string::npos)
      return {"block_causes", shown(cause), "texts without ';'"};
  return {};
}

}  // namespace

std::span<const CsvColumn<ResultRow>> result_columns() { return kColumns; }

std::string header_line() { return header_of(result_columns()); }

void append_row(const ResultRow& row, std::string& out) {
  if (const RowMistake mistake = row_mistake(row); !mistake.column.empty())
    throw Error("result of " + shown(row.case_id) + ", column " + std::string(mistake.column) +
                ": found " + mistake.found + ", expected " + mistake.expected);
  append_fields(result_columns(), row, out);
}

RowMistake row_mistake(const ResultRow& row) {
  if (RowMistake mistake = names_mistake(row); !mistake.column.empty()) return mistake;
  if (RowMistake mistake = samples_mistake(row); !mistake.column.empty()) return mistake;
  if (RowMistake mistake = lists_mistake(row); !mistake.column.empty()) return mistake;
  for (const auto& [column, seconds] :
       {std::pair{"timers", &row.timers_s}, std::pair{"spent", &row.spent_s}})
    for (const auto& [name, value] : *seconds)
      if (name.empty() || name.find_first_of(";=") != std::string::npos)
        return {column, shown(name), "names without ';' and '='"};
  for (const std::string& flag : row.flags)
    if (flag.empty() || flag.find(';') != std::string::npos)
      return {"flags", shown(flag), "names without ';'"};
  return {};
}

std::string columns_markdown() { return markdown_of(result_columns()); }

}  // namespace plumbline
