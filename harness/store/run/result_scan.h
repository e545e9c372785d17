/// results.csv as rows and visits, with the offsets needed to resume. For store/ only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run/earlier_visits.h"
#include "core/run/run.h"
#include "store/file.h"
#include "store/run/run_writer.h"

namespace plumbline {

struct ResultScan {
  std::vector<ResultRow> rows;            // all complete rows; none from scan_visits()
  bool has_header = false;                // false: the file ends inside its header
  bool own_header = false;                // the header is exactly the one that this program writes
  std::optional<std::string> torn;        // where and how the file ends inside a row
  std::optional<std::string> incomplete;  // where and how the last visit lacks rows
  std::size_t visit_rows = 0;             // rows of complete visits, which are the first
  std::uint64_t visit_bytes = 0;          // offset of the end of the last complete visit
  ContentHash hash;                       // of the whole file
};

enum class VisitOrder {
  contiguous,  // as a run writes them; any other order throws Error
  any,         // baselines: sorted by case, perhaps edited; `visit_rows` stays 0
};

/// Reads the file. Throws Error with file, row, line and column for every mistake except a torn or
/// incomplete end, which the caller judges.
ResultScan scan_results(const std::string& path, VisitOrder order);

/// The same of an unfinished run without its rows: a run of a million visits needs gigabytes for
/// them. `visits`: gets the complete visits.
ResultScan scan_visits(const std::string& path, EarlierVisits& visits);

/// The visit that a row belongs to.
Visit visit_of(const ResultRow& row);

}  // namespace plumbline
