/// The columns of results.csv, made from core/run/result_fields.h: header line, writer, reader and
/// documentation.
///
/// Knows no file (run_writer.h, result_scan.h, baseline.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/run/run.h"
#include "store/csv/column.h"

namespace plumbline {

/// All columns, in the order in which they are written.
std::span<const CsvColumn<ResultRow>> result_columns();

/// First line of results.csv, with its newline.
std::string header_line();

/// Appends `row` as one line. Throws Error for a row that no reader would take; `out` is then as
/// it was.
void append_row(const ResultRow& row, std::string& out);

/// The largest sample, either side of 0: sums of all samples of a run are numbers too.
inline constexpr double kLargestSample = 1e300;
inline constexpr std::string_view kSampleSizes = "numbers up to 1e300 in size; scale them";

/// What is wrong with a row whose fields are right one by one: "" where nothing is.
struct RowMistake {
  std::string_view column;
  std::string found, expected;
};
RowMistake row_mistake(const ResultRow& row);

/// The table for harness/store/README.md.
std::string columns_markdown();

}  // namespace plumbline
