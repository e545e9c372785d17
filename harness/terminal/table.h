/// Rows of text in columns, as wide as what they are printed to.
///
/// Knows nothing of what is shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/console.h"

namespace plumbline {

/// How a column gives room where a table is too wide.
enum class Fit {
  word,    // stands left, is never cut
  number,  // stands right, is never cut
  id,      // the beginning that all share is told once above the table; cut in the middle
  text,    // goes on in the next line
};

/// Numbers stand right, the rest left; the last column is not padded. Where the columns do not fit
/// beside each other, they go on in further lines.
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
  /// A cell for each column, or one that stands in a line of its own.
  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  /// With its header, for standard output; cells are visible and keep to their line. `width`:
  /// characters of a line, 0 for any number.
  std::string text(std::size_t width = output_width()) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// `text` in at most `columns` characters, with "…" for what its middle loses.
std::string cut_middle(std::string_view text, std::size_t columns);

}  // namespace plumbline
