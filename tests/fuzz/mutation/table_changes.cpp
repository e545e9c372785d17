#include "fuzz/mutation/table_changes.h"

#include <algorithm>
#include <array>

namespace plumbline::fuzz {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kMostRows = 2000;  // of a table that grows

/// A row below the header, where there is one.
Row& data_row(Cells& table, Dice& dice) {
  return table.size() == 1 ? table.front() : table[dice.between(1, table.size() - 1)];
}

std::string& data_cell(Cells& table, Dice& dice) {
  Row& row = data_row(table, dice);
  return row[dice.below(row.size())];
}

std::ptrdiff_t column_of(const Cells& table, Dice& dice) {
  return std::ptrdiff_t(dice.below(table.front().size()));
}

bool has(const Row& row, std::ptrdiff_t column) { return std::size_t(column) < row.size(); }

void set_cell(Cells& table, const TableSource& from) {
  const bool is_number = from.words.values.empty() || from.dice.chance(0.6);
  data_cell(table, from.dice) =
      is_number ? std::string(any_of(kEdges, from.dice)) : any_of(from.words.values, from.dice);
}

void swap_cells(Cells& table, const TableSource& from) {
  std::swap(data_cell(table, from.dice), data_cell(table, from.dice));
}

/// From another row or another input, of the same column.
void copy_cell(Cells& table, const TableSource& from) {
  Row& row = data_row(table, from.dice);
  const Row source =
      from.dice.chance(0.5) ? any_of(table, from.dice) : any_of(from.other, from.dice);
  const auto column = std::ptrdiff_t(from.dice.below(row.size()));
  if (has(source, column)) row[std::size_t(column)] = source[std::size_t(column)];
}

void swap_columns(Cells& table, const TableSource& from) {
  const std::ptrdiff_t first = column_of(table, from.dice), second = column_of(table, from.dice);
  for (Row& row : table)
    if (has(row, first) && has(row, second))
      std::swap(row[std::size_t(first)], row[std::size_t(second)]);
}

void remove_column(Cells& table, const TableSource& from) {
  const std::ptrdiff_t column = column_of(table, from.dice);
  for (Row& row : table)
    if (has(row, column)) row.erase(row.begin() + column);
}

void repeat_column(Cells& table, const TableSource& from) {
  const std::ptrdiff_t column = column_of(table, from.dice);
  for (Row& row : table)
    if (has(row, column)) row.insert(row.begin() + column, std::string(row[std::size_t(column)]));
}

void rename_column(Cells& table, const TableSource& from) {
  table.front()[std::size_t(column_of(table, from.dice))] = any_of(from.words.keys, from.dice);
}

/// The row is shorter than the header, or longer.
void change_width(Cells& table, const TableSource& from) {
  Row& row = data_row(table, from.dice);
  const auto at = row.begin() + std::ptrdiff_t(from.dice.below(row.size()));
  if (from.dice.chance(0.5))
    row.erase(at);
  else
    row.insert(at, std::string(any_of(kEdges, from.dice)));
}

void remove_row(Cells& table, const TableSource& from) {
  table.erase(table.begin() + std::ptrdiff_t(from.dice.below(table.size())));
}

void repeat_row(Cells& table, const TableSource& from) {
  static constexpr std::array<std::uint64_t, 4> kTimes = {1, 1, 2, 200};
  const Row copy = data_row(table, from.dice);
  const std::uint64_t times = any_of(kTimes, from.dice);
  if (table.size() + times > kMostRows) return;
  const auto at = std::ptrdiff_t(from.dice.below(table.size() + 1));
  table.insert(table.begin() + at, times, copy);
}

void swap_rows(Cells& table, const TableSource& from) {
  std::swap(data_row(table, from.dice), data_row(table, from.dice));
}

void splice_row(Cells& table, const TableSource& from) {
  const Row row = any_of(from.other, from.dice);
  table.insert(table.begin() + std::ptrdiff_t(from.dice.below(table.size() + 1)), row);
}

void change_quotes(Cells& table, const TableSource& from) {
  std::string& cell = data_cell(table, from.dice);
  switch (from.dice.below(5)) {
    case 0:
      cell = '"' + cell + '"';
      break;
    case 1:
      cell.insert(from.dice.below(cell.size() + 1), "\"");
      break;
    case 2:
      cell.insert(from.dice.below(cell.size() + 1), "\"\"");
      break;
    case 3:
      cell = "\"a,\"\"b\r\n" + cell + '"';
      break;
    default:
      std::erase(cell, '"');
  }
}

/// Cells hold lists: samples `1;2|3`, flags `a b`. A part is removed, repeated or replaced.
void change_part(Cells& table, const TableSource& from) {
  static constexpr std::string_view kBetween = ";|,:= ";
  std::string& cell = data_cell(table, from.dice);
  const std::size_t from_here = from.dice.below(cell.size() + 1);
  const std::size_t found = cell.find_first_of(kBetween, from_here);
  const std::size_t begin = found == std::string::npos ? 0 : found + 1;
  const std::size_t end = std::min(cell.find_first_of(kBetween, begin), cell.size());
  const std::string part = cell.substr(begin, end - begin);
  switch (from.dice.below(4)) {
    case 0:
      cell.erase(begin, end - begin + 1);
      break;
    case 1:
      cell.insert(begin, part + (found == std::string::npos ? ';' : cell[found]));
      break;
    case 2:
      cell.insert(begin, 1, any_of(kBetween, from.dice));
      break;
    default:
      cell.replace(begin, end - begin, any_of(kEdges, from.dice));
  }
}

void end_lines_otherwise(Cells& table, const TableSource& from) {
  if (from.dice.chance(0.5)) {
    for (Row& row : table) row.back() += '\r';
  } else {
    table.emplace_back(1);  // an empty line
  }
}

constexpr auto kChanges = std::to_array<TableChange>({
    {"cell", set_cell},
    {"swap cells", swap_cells},
    {"copy", copy_cell},
    {"part", change_part},
    {"quotes", change_quotes},
    {"width", change_width},
    {"swap columns", swap_columns},
    {"remove column", remove_column},
    {"repeat column", repeat_column},
    {"rename column", rename_column},
    {"remove row", remove_row},
    {"repeat row", repeat_row},
    {"swap rows", swap_rows},
    {"splice", splice_row},
    {"line ends", end_lines_otherwise},
});

}  // namespace

Cells read_cells(std::string_view text) {
  Cells table;
  bool is_quoted = false, is_at_begin = true;
  for (const char letter : text) {
    if (is_at_begin) table.emplace_back(1);
    is_at_begin = false;
    is_quoted ^= letter == '"';
    if (letter == '\n' && !is_quoted)
      is_at_begin = true;
    else if (letter == ',' && !is_quoted)
      table.back().emplace_back();
    else
      table.back().back() += letter;
  }
  if (is_quoted && !table.back().back().empty() && table.back().back().back() == '\n')
    table.back().back().pop_back();  // cells_text ends each row
  return table;
}

std::string cells_text(const Cells& table) {
  std::string text;
  for (const Row& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += ',';
      text += row[i];
    }
    text += '\n';
  }
  return text;
}

std::span<const TableChange> table_changes() { return kChanges; }

}  // namespace plumbline::fuzz
