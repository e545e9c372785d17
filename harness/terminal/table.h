/// Tables of text that fit the width of the output.
///
/// Does not know what is shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/console.h"

namespace plumbline {

/// How a column shrinks when a table is too wide.
enum class Fit {
  word,    // left-aligned, never cut
  number,  // right-aligned, never cut
  id,      // the common beginning moves to a line above the table; cut in the middle
  text,    // wraps to the next line
};

/// Numbers are right-aligned, other columns left-aligned; the last column is not padded. If the
/// columns do not fit side by side, they continue in further lines.
class Table {
 public:
  struct Column {
    std::string name;
    Fit fit = Fit::word;
  };
  struct Cell {
    std::string text;
    Colour colour = Colour::none;
  };
  explicit Table(std::vector<Column> columns);
  /// Adds a cell for each column, or a single cell with a line of its own.
  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  /// The table with its header, for standard output; cells are escaped and kept on one line.
  /// `width`: characters per line, 0 = unlimited.
  std::string text(std::size_t width = output_width()) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// `text` in at most `columns` characters; "…" replaces its middle.
std::string cut_middle(std::string_view text, std::size_t columns);

}  // namespace plumbline
