/// The columns of results.csv, made from core/run/result_fields.h: header line, writer, reader and
/// documentation.
///
/// Opens no file (run_writer.h, result_scan.h, baseline.h do).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/run/run.h"
#include "store/csv/column.h"

namespace plumbline {

/// All columns, in the order of the file.
std::span<const CsvColumn<ResultRow>> result_columns();

/// First line of results.csv, with its newline.
std::string header_line();

/// Appends `row` as one line. Throws Error for a row that readers would refuse; `out` then stays
/// unchanged.
void append_row(const ResultRow& row, std::string& out);

/// The largest absolute value of a sample: sums of all samples of a run must stay finite.
inline constexpr double kLargestSample = 1e300;
inline constexpr std::string_view kSampleSizes = "numbers up to 1e300 in size; scale them";

/// A mistake in a row whose single fields are valid; `column` is "" where there is none.
struct RowMistake {
  std::string_view column;
  std::string found, expected;
};
RowMistake row_mistake(const ResultRow& row);

/// The table for harness/store/README.md.
std::string columns_markdown();

}  // namespace plumbline
