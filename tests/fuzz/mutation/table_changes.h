/// Changes of a table in CSV, a row of a table each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/mutation/words.h"

namespace plumbline::fuzz {

/// Rows of cells as they are written, with their quotes.
using Cells = std::vector<std::vector<std::string>>;

/// Any text is a table. A quote that is not closed takes the rest.
Cells read_cells(std::string_view text);
std::string cells_text(const Cells& table);

struct TableSource {
  const Cells& other;  // another input, or the same
  const Words& words;
  Dice& dice;
};

struct TableChange {
  std::string_view name;
  /// `table` has a row, and each row has a cell. May leave it as it is.
  void (*apply)(Cells& table, const TableSource& from);
};

std::span<const TableChange> table_changes();

}  // namespace plumbline::fuzz
