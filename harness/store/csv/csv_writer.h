/// Writes CSV (RFC 4180) into a buffer; lines end in LF, so that git and grep can read them.
///
/// Opens no file and knows no field (store/csv/columns.h).
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

/// Appends one field to the row at the end of `out`, quoted only if necessary. `first`: the field
/// begins the row, so no comma comes before it.
void append_csv_field(std::string& out, std::string_view field, bool first);

/// Ends the row.
inline void end_csv_row(std::string& out) { out += '\n'; }

}  // namespace plumbline
