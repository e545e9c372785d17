/// Another program's results as rows of named columns, from CSV or JSON.
///
/// Knows places and texts of values; import_table.cpp knows what the columns mean.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/import_mapping.h"

namespace plumbline {

class ForeignTable {
 public:
  ForeignTable() = default;
  ForeignTable(const ForeignTable&) = delete;
  ForeignTable& operator=(const ForeignTable&) = delete;
  virtual ~ForeignTable() = default;

  /// The columns' names, each once.
  virtual const std::vector<std::string>& header() const = 0;
  /// Goes to the next row; false after the last one. Throws Error for a row that cannot be read.
  virtual bool next() = 0;
  /// The value in the current row; "" if it has none.
  virtual std::string_view field(std::size_t column) const = 0;
  /// What stands between the values of a field that is a list; "" = the field is one value.
  virtual std::string_view separator(std::size_t /*column*/) const { return ""; }
  /// Where the current row is: "FILE: row 3 (line 4)".
  virtual std::string place() const = 0;
  virtual std::string place(std::size_t column) const = 0;

  /// Throws Error "PLACE: found …, expected …".
  [[noreturn]] void fail(std::size_t column, std::string_view found,
                         std::string_view expected) const;
};

/// A CSV file with a header; its last line may lack a newline. Uses the mapping's `delimiter` and
/// `columns`. Throws Error for a file that cannot be read and for one without a header.
std::unique_ptr<ForeignTable> csv_table(const std::string& path, const ImportMapping& mapping);

/// How the file holds its documents.
enum class JsonForm { document, lines };

/// JSON: the rows are where the mapping's `rows` says. A column is a path in a row (`a.b`,
/// `a.0.b`); one with a dot before it is a path from the document's root, beside the rows. A list
/// of numbers or texts is one field. Throws Error with file, line and JSON path.
std::unique_ptr<ForeignTable> json_table(const std::string& path, JsonForm form,
                                         const ImportMapping& mapping);

/// A wide table made long: each row becomes as many as the melted columns have names. Returns the
/// table itself if the mapping melts nothing. Throws Error for a pattern that no column fits.
std::unique_ptr<ForeignTable> melted_table(std::unique_ptr<ForeignTable> wide,
                                           const std::string& path, const ImportMapping& mapping);

}  // namespace plumbline
