#include "terminal/table.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "core/visible.h"

namespace plumbline {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kEllipsis = "…";
constexpr std::size_t kIndent = 2;  // of continuation lines
constexpr std::size_t kLeastId = 36, kIdStep = 4, kLeastText = 24;
constexpr std::size_t kLeastPrefix = 4;  // shortest prefix that gets a line above the table

using Row = std::vector<Table::Cell>;
using Lines = std::vector<std::string>;

/// A table cell as one line.
std::string cell_text(std::string_view text) {
  std::string shown = visible(text);
  std::ranges::replace_if(
      shown, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return shown;
}

/// The lines of `text`, broken at blanks; a word longer than a line is cut.
Lines wrapped(std::string_view text, std::size_t width) {
  Lines lines;
  while (width_of(text) > width) {
    const std::string_view most = cut(text, width);
    const bool ends_word = text[most.size()] == ' ';
    std::size_t end = ends_word ? most.size() : most.rfind(' ');
    if (end == most.npos || end == 0) end = most.size();
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  lines.emplace_back(text);
  return lines;
}

/// The common beginning of all texts, up to a slash, or the whole text if all are equal.
std::string_view common_beginning(const std::vector<std::string_view>& texts) {
  std::string_view common = texts.front();
  for (const std::string_view text : texts) {
    const auto differs = std::ranges::mismatch(common, text).in1;
    common = common.substr(0, std::size_t(differs - common.begin()));
  }
  const bool are_equal = std::ranges::all_of(texts, [&](auto text) { return text == common; });
  return are_equal ? common : common.substr(0, common.rfind('/') + 1);
}

/// A table that fits: the lines above it, and the widths and lines of its columns.
class Layout {
 public:
  Layout(std::vector<Table::Column> columns, std::vector<Row> rows, std::size_t width)
      : columns_(std::move(columns)), rows_(std::move(rows)), width_(width) {
    measure();
    if (fits()) return;
    tell_beginnings();
    measure();
    if (fits()) return;
    shrink(Fit::text);
    shrink(Fit::id);
    if (!fits()) break_line();
  }

  std::string text() const {
    std::string text;
    for (const std::string& line : above_)
      text += coloured(line, Colour::grey, STDOUT_FILENO) + "\n";
    Row header;
    for (const Table::Column& column : columns_) header.push_back({column.name, Colour::grey});
    add_row(header, text);
    for (const Row& row : rows_) add_row(row, text);
    return text;
  }

 private:
  void measure() {
    widths_.assign(columns_.size(), 0);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      widths_[i] = width_of(columns_[i].name);
      for (const Row& row : rows_)
        if (row.size() > 1) widths_[i] = std::max(widths_[i], width_of(row[i].text));
    }
    groups_.assign(1, std::vector<std::size_t>(columns_.size()));
    std::iota(groups_[0].begin(), groups_[0].end(), std::size_t(0));
  }

  std::size_t needed() const {
    return std::accumulate(widths_.begin(), widths_.end(),
                           kGap.size() * (std::max<std::size_t>(widths_.size(), 1) - 1));
  }
  bool fits() const { return width_ == 0 || needed() <= width_; }

  /// Moves the common beginning (or value) of a column of ids to a line above the table.
  void tell_beginnings() {
    for (std::size_t i = columns_.size(); i-- > 0;) {
      if (columns_[i].fit != Fit::id) continue;
      std::vector<std::string_view> texts;
      for (const Row& row : rows_)
        if (row.size() > 1) texts.emplace_back(row[i].text);
      if (texts.size() < 2) continue;
      const std::string common(common_beginning(texts));
      if (common.size() < kLeastPrefix) continue;
      if (common == texts.front() && common == texts.back() && columns_.size() > 1) {
        above_.insert(above_.begin(), columns_[i].name + ": " + common);
        columns_.erase(columns_.begin() + std::ptrdiff_t(i));
        for (Row& row : rows_)
          if (row.size() > 1) row.erase(row.begin() + std::ptrdiff_t(i));
        continue;
      }
      above_.insert(above_.begin(),
                    columns_[i].name + ": " + std::string(kEllipsis) + " stands for " + common);
      for (Row& row : rows_)
        if (row.size() > 1) row[i].text.replace(0, common.size(), kEllipsis);
    }
  }

  /// Shrinks the columns of a kind until the table fits.
  void shrink(Fit fit) {
    for (std::size_t i = 0; i < widths_.size() && !fits(); ++i)
      if (columns_[i].fit == fit)
        widths_[i] -= std::min(widths_[i] - least_width(i), needed() - width_);
  }

  /// The least width at which cells stay readable and ids distinguishable.
  std::size_t least_width(std::size_t i) const {
    if (columns_[i].fit == Fit::text) return std::min(widths_[i], kLeastText);
    std::set<std::string_view> whole;
    for (const Row& row : rows_)
      if (row.size() > 1) whole.insert(row[i].text);
    for (std::size_t width = kLeastId; width < widths_[i]; width += kIdStep) {
      std::set<std::string> shown;
      for (const std::string_view id : whole) shown.insert(cut_middle(id, width));
      if (shown.size() == whole.size()) return width;
    }
    return widths_[i];
  }

  /// Continues columns in further lines if one line is too short. An id is cut to the rest of its
  /// line if enough of it stays readable. A text gets its own line before it is broken.
  void break_line() {
    measure();
    groups_.assign(1, {});
    std::size_t left = width_;
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      const Fit fit = columns_[i].fit;
      const bool gives_way = fit == Fit::id || fit == Fit::text;
      if (fit == Fit::id && left >= least_width(i)) widths_[i] = std::min(widths_[i], left);
      if (!groups_.back().empty() && widths_[i] > left) {
        groups_.emplace_back();
        left = width_ - std::min(width_, kIndent);
        if (gives_way) widths_[i] = std::min(widths_[i], left);
      }
      const bool fills = gives_way && 2 * widths_[i] > width_;  // following columns stay together
      left -= fills ? left : std::min(left, widths_[i] + kGap.size());
      groups_.back().push_back(i);
    }
  }

  /// The lines of a cell in its column.
  Lines lines_of(std::size_t column, const std::string& text) const {
    if (columns_[column].fit == Fit::text)
      return wrapped(text, std::max<std::size_t>(widths_[column], 1));
    if (columns_[column].fit == Fit::id) return {cut_middle(text, widths_[column])};
    return {text};
  }

  void add_row(const Row& row, std::string& text) const {
    if (row.size() == 1 && columns_.size() > 1) {
      text += coloured(row[0].text, row[0].colour, STDOUT_FILENO) + "\n";
      return;
    }
    for (const std::vector<std::size_t>& group : groups_)
      add_lines(row, group, &group == &groups_.front() ? 0 : kIndent, text);
  }

  void add_lines(const Row& row, const std::vector<std::size_t>& group, std::size_t indent,
                 std::string& text) const {
    std::vector<Lines> cells;
    std::size_t height = 1;
    bool is_empty = indent > 0;
    for (const std::size_t column : group) {
      cells.push_back(lines_of(column, row[column].text));
      height = std::max(height, cells.back().size());
      is_empty = is_empty && row[column].text.empty();
    }
    if (is_empty) return;
    for (std::size_t k = 0; k < height; ++k) {
      std::string line(indent, ' ');
      for (std::size_t i = 0; i < group.size(); ++i) {
        const std::string cell = k < cells[i].size() ? cells[i][k] : "";
        const std::string padding(widths_[group[i]] - std::min(widths_[group[i]], width_of(cell)),
                                  ' ');
        const bool stands_right = columns_[group[i]].fit == Fit::number;
        if (i > 0) line += kGap;
        if (stands_right) line += padding;
        line += coloured(cell, row[group[i]].colour, STDOUT_FILENO);
        if (!stands_right && i + 1 < group.size()) line += padding;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
  }

  std::vector<Table::Column> columns_;
  std::vector<Row> rows_;
  std::size_t width_;
  std::vector<std::size_t> widths_;               // by column
  std::vector<std::vector<std::size_t>> groups_;  // columns that share a line
  std::vector<std::string> above_;
};

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.name = cell_text(column.name);
}

void Table::add(std::vector<Cell> row) {
  for (Cell& cell : row) cell.text = cell_text(cell.text);
  rows_.push_back(std::move(row));
}

std::string Table::text(std::size_t width) const { return Layout(columns_, rows_, width).text(); }

std::string cut_middle(std::string_view text, std::size_t columns) {
  const std::size_t width = width_of(text);
  if (width <= columns) return std::string(text);
  if (columns == 0) return "";
  const std::size_t end = (columns - 1) / 2, begin = columns - 1 - end;
  const std::size_t tail = cut(text, width - end).size();
  return std::string(cut(text, begin)) + std::string(kEllipsis) + std::string(text.substr(tail));
}

}  // namespace plumbline
