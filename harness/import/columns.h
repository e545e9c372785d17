/// The columns of a table by the names that a mapping uses, for its current row.
///
/// Checks that the columns exist; import_table.cpp makes results of their values.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/run/import_mapping.h"
#include "core/value.h"
#include "import/table.h"

namespace plumbline {

/// The value of a field in expressions.
Value value_of_field(std::string_view text);

/// Whether a column that the mapping names must exist. In JSON a path without values has no column,
/// so those that may be missing are told.
enum class Missing { refused, told };

class Columns {
 public:
  /// `file` is for messages. Throws Error for a column that is missing, unless it may be: of a
  /// metric beside others, of the environment, or of the reason.
  Columns(const ForeignTable& table, const ImportMapping& mapping, std::string file,
          Missing optional);

  /// What a reader must know: columns that the mapping does not use, and those that are not there.
  void add_notes(std::vector<std::string>& notes) const;

  /// The column's number; nothing if the file lacks it.
  std::optional<std::size_t> position(const std::string& column) const;

  /// Parameters by their columns' names: the name, and the column.
  const std::vector<std::pair<std::string, std::size_t>>& axes() const { return axes_; }

  /// The value of a column, or of a table of values. Throws Error for a value that the table lacks.
  std::string text(const std::string& name) const;
  std::string filled(const MappedText& pattern) const;
  /// Throws Error with the places of expression and row.
  Value evaluated(const MappedExpression& expression) const;

 private:
  void require(const std::string& name, const std::string& at, bool may_be_table,
               Missing missing = Missing::refused);
  void require_all();
  void require_a_metric();
  void find_axes();

  const ForeignTable& table_;
  const ImportMapping& mapping_;
  const std::string file_;
  const Missing optional_;
  std::map<std::string, std::size_t> positions_;
  std::set<std::string> used_, missing_;
  std::vector<std::pair<std::string, std::size_t>> axes_;
};

}  // namespace plumbline
