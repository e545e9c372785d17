#include "store/result_scan.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <unordered_map>

#include "core/case.h"
#include "store/columns.h"
#include "store/csv_reader.h"

namespace plumbline {
namespace {

bool same_visit(const ResultRow& a, const ResultRow& b) {
  return a.case_id == b.case_id && a.round == b.round && a.worker == b.worker &&
         a.suite == b.suite && a.parts == b.parts;
}

std::string part_text(std::int64_t part, std::int64_t parts) {
  return std::to_string(part) + "/" + std::to_string(parts);
}

/// Follows the parts of visits through the rows of a run.
class VisitTracker {
 public:
  /// Takes the last of `rows`; throws Error where it does not continue or begin a visit.
  void take(const std::vector<ResultRow>& rows, const CsvReader& reader, std::size_t part_column) {
    const ResultRow& row = rows.back();
    const bool fits = open_parts_ == 0
                          ? row.part == 1
                          : row.part == open_parts_ + 1 && same_visit(row, rows[rows.size() - 2]);
    if (!fits) {
      const std::string expected = open_parts_ == 0
                                       ? "1/N, the first row of a visit"
                                       : part_text(open_parts_ + 1, rows[rows.size() - 2].parts) +
                                             " of the visit that the row before belongs to";
      reader.fail(part_column, shown(part_text(row.part, row.parts)) + " of " + shown(row.case_id),
                  expected);
    }
    open_parts_ = row.part == row.parts ? 0 : row.part;
  }
  bool whole() const { return open_parts_ == 0; }
  std::int64_t open_parts() const { return open_parts_; }

 private:
  std::int64_t open_parts_ = 0;  // rows seen of the visit that is not whole yet
};

/// What no row may contradict: a visit is there once, and a case is one problem throughout.
class SeenRows {
 public:
  /// Takes the last of `rows`; throws Error where it contradicts an earlier one.
  void take(const std::vector<ResultRow>& rows, const CsvReader& reader,
            const ColumnBinding<ResultRow>& binding) {
    const ResultRow& row = rows.back();
    const std::uint64_t of_case = stable_hash(row.case_id, stable_hash(row.suite));
    const std::uint64_t of_metric = stable_hash(row.metric, of_case);
    const auto [visit, is_new] =
        visits_.try_emplace(stable_hash(visit_text(row), of_metric), rows.size());
    if (!is_new)
      reader.fail(binding.position("round"),
                  shown(row.case_id) + " in round " + std::to_string(row.round) + " again",
                  "each visit once; row " + std::to_string(visit->second) + " has it");
    const auto [first, is_first] = metrics_.try_emplace(of_metric, rows.size());
    if (!is_first) require_alike(row, rows[first->second - 1], first->second, reader, binding);
  }

 private:
  static std::string visit_text(const ResultRow& row) {
    return fmt::format("{} {} {} {}", row.round, row.order, row.part, row.worker);
  }

  static void require_alike(const ResultRow& row, const ResultRow& first, std::size_t number,
                            const CsvReader& reader, const ColumnBinding<ResultRow>& binding) {
    const auto require = [&](const char* column, const std::string& own, const std::string& known) {
      if (own != known)
        reader.fail(binding.position(column), shown(own) + " of " + shown(row.case_id),
                    shown(known) + " as in row " + std::to_string(number));
    };
    require("op", row.op, first.op);
    require("backend", row.backend, first.backend);
    require("revision", row.revision, first.revision);
    if (has_samples(row.status) && has_samples(first.status)) require("unit", row.unit, first.unit);
  }

  std::unordered_map<std::uint64_t, std::size_t> visits_, metrics_;  // hash -> number of the row
};

/// Rows that the file will hold, from those read so far: memory is asked for once.
void reserve(std::vector<ResultRow>& rows, const CsvReader& reader, std::uint64_t file_bytes) {
  constexpr std::size_t kSampled = 256;
  if (rows.size() != kSampled || reader.end_bytes() == 0) return;
  const double rows_per_byte = static_cast<double>(kSampled) / double(reader.end_bytes());
  rows.reserve(std::size_t(double(file_bytes) * rows_per_byte * 1.05) + kSampled);
  // A large run has 10⁵ pages of 4 KiB here, and as many page faults.
  constexpr std::uintptr_t kPageBytes = 4096;
  const auto begin = (reinterpret_cast<std::uintptr_t>(rows.data()) + kPageBytes - 1) / kPageBytes;
  const auto end = reinterpret_cast<std::uintptr_t>(rows.data() + rows.capacity()) / kPageBytes;
  ::madvise(reinterpret_cast<void*>(begin * kPageBytes), (end - begin) * kPageBytes,
            MADV_HUGEPAGE);  // a hint: a kernel without them says no, and nothing is lost
}

}  // namespace

ResultScan scan_results(const std::string& path, VisitOrder order) {
  ResultScan scan;
  CsvReader reader(path);
  scan.has_header = !reader.header().empty();
  if (!scan.has_header) {
    scan.torn = reader.torn().value_or(path + ": found an empty file, expected a header");
    return scan;
  }
  const ColumnBinding<ResultRow> binding(reader, result_columns(), path);
  scan.own_header =
      std::ranges::equal(reader.header(), result_columns(), {}, {}, &CsvColumn<ResultRow>::name);
  const std::size_t part_column = binding.position("part");
  std::error_code unknown_size;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, unknown_size);
  VisitTracker tracker;
  SeenRows seen;
  scan.visit_bytes = reader.end_bytes();
  while (reader.next()) {
    if (!unknown_size) reserve(scan.rows, reader, file_bytes);
    scan.rows.push_back(binding.parse(reader));
    const ResultRow& row = scan.rows.back();
    if (const RowMistake mistake = row_mistake(row); !mistake.column.empty())
      reader.fail(binding.position(mistake.column), mistake.found, mistake.expected);
    seen.take(scan.rows, reader, binding);
    if (order == VisitOrder::any) continue;
    tracker.take(scan.rows, reader, part_column);
    if (!tracker.whole()) continue;
    scan.visits.push_back(visit_of(row));
    scan.visit_rows = scan.rows.size();
    scan.visit_bytes = reader.end_bytes();
  }
  scan.torn = reader.torn();
  scan.hash = reader.hash();
  if (!tracker.whole())
    scan.incomplete = path + ": row " + std::to_string(scan.rows.size()) +
                      ": found the end after " + std::to_string(tracker.open_parts()) + " of the " +
                      std::to_string(scan.rows.back().parts) + " rows of the visit of " +
                      shown(scan.rows.back().case_id);
  return scan;
}

Visit visit_of(const ResultRow& row) { return {row.suite, row.case_id, row.round, row.worker}; }

}  // namespace plumbline
