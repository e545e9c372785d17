/// results.csv as rows and visits, with the offsets that resuming needs. For store/ only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run.h"
#include "store/file.h"
#include "store/run/run_writer.h"

namespace plumbline {

struct ResultScan {
  std::vector<ResultRow> rows;            // all whole ones
  bool has_header = false;                // else the file ends before its header does
  bool own_header = false;                // it is exactly the one that this program writes
  std::optional<std::string> torn;        // where and how the file ends inside a row
  std::optional<std::string> incomplete;  // where and how the last visit lacks rows
  std::vector<Visit> visits;              // whole ones, in the order of the file
  std::size_t visit_rows = 0;             // rows of `visits`
  std::uint64_t visit_bytes = 0;          // offset of the end of the last of them
  ContentHash hash;                       // of the whole file
};

enum class VisitOrder {
  contiguous,  // as a run writes them; anything else is an Error
  any,         // baselines: sorted by case, perhaps edited; `visits` stays empty
};

/// Reads the file. Throws Error with file, row, line and column for everything but a torn or
/// incomplete end, which the caller judges.
ResultScan scan_results(const std::string& path, VisitOrder order);

/// The visit that a row belongs to.
Visit visit_of(const ResultRow& row);

}  // namespace plumbline
