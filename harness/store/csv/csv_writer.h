/// CSV as RFC 4180 has it, written into a buffer; lines end in LF, so that git and grep read them.
///
/// Knows nothing of what the fields mean (store/csv/columns.h) and opens no file.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

/// Appends one field to the row at the end of `out`, quoted only where it must be.
/// `first`: it begins its row, so no comma comes before it.
void append_csv_field(std::string& out, std::string_view field, bool first);

/// Ends the row.
inline void end_csv_row(std::string& out) { out += '\n'; }

}  // namespace plumbline
