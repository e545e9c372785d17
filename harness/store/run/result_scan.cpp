#include "store/run/result_scan.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "store/csv/columns.h"
#include "store/csv/csv_reader.h"

namespace plumbline {
namespace {

bool same_visit(const ResultRow& a, const ResultRow& b) {
  return a.case_id == b.case_id && a.round == b.round && a.worker == b.worker &&
         a.suite == b.suite && a.parts == b.parts;
}

std::string part_text(std::int64_t part, std::int64_t parts) {
  return std::to_string(part) + "/" + std::to_string(parts);
}

/// Follows visits through the rows of a run, part by part.
class VisitTracker {
 public:
  /// Takes the last of `rows`. Throws Error if it neither continues nor begins a visit.
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
  std::int64_t open_parts_ = 0;  // rows seen of the incomplete visit
};

struct Place {
  std::size_t hash, row;
  auto operator<=>(const Place&) const = default;
};

std::size_t mixed(std::size_t hash, std::size_t next) {
  return (hash ^ next) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
}

std::size_t hash_of_metric(const ResultRow& row) {
  const std::hash<std::string_view> hash;
  return mixed(mixed(hash(row.case_id), hash(row.metric)), hash(row.suite));
}

std::size_t hash_of_visit(const ResultRow& row) {
  std::size_t hash = mixed(hash_of_metric(row), std::hash<std::string_view>()(row.worker));
  for (const std::int64_t number : {row.round, row.order, row.part})
    hash = mixed(hash, std::size_t(number));
  return hash;
}

/// The first row that conflicts with the first row of the same hash, and that row; nothing if there
/// is no conflict.
std::optional<std::pair<std::size_t, std::size_t>> first_at_odds(const std::vector<ResultRow>& rows,
                                                                 const auto& hash_of,
                                                                 const auto& are_at_odds) {
  std::vector<Place> places(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) places[i] = {hash_of(rows[i]), i};
  std::ranges::sort(places);
  std::optional<std::pair<std::size_t, std::size_t>> found;
  std::size_t first = 0;  // first index with the same hash
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].hash != places[first].hash) first = i;
    const std::size_t row = places[i].row, known = places[first].row;
    if (row != known && (!found || row < found->first) && are_at_odds(rows[row], rows[known]))
      found = {row, known};
  }
  return found;
}

[[noreturn]] void refuse(const std::string& path, std::size_t row, const char* column,
                         const std::string& found, const std::string& expected) {
  throw Error(fmt::format("{}: row {}, column {}: found {}, expected {}", path, row + 1, column,
                          found, expected));
}

/// Refuses repeated visits. Hashes of 10⁵ rows collide by chance in one of 10⁹ files.
void refuse_visits_again(const std::vector<ResultRow>& rows, const std::string& path) {
  const auto found =
      first_at_odds(rows, hash_of_visit, [](const auto&, const auto&) { return true; });
  if (!found) return;
  const ResultRow& row = rows[found->first];
  refuse(path, found->first, "round",
         fmt::format("{} in round {} again", shown(row.case_id), row.round),
         fmt::format("each visit once; row {} has it", found->second + 1));
}

struct SteadyColumn {
  const char* name;
  std::string ResultRow::*member;
};
constexpr SteadyColumn kSteadyColumns[]{{"op", &ResultRow::op},
                                        {"backend", &ResultRow::backend},
                                        {"revision", &ResultRow::revision},
                                        {"unit", &ResultRow::unit}};

/// The column in which two rows of a case × metric differ in problem or unit, or nullptr. Units
/// only matter for rows with samples.
const SteadyColumn* unsteady_column(const ResultRow& a, const ResultRow& b) {
  for (const SteadyColumn& column : kSteadyColumns) {
    const bool is_needed =
        column.member != &ResultRow::unit || (has_samples(a.status) && has_samples(b.status));
    if (is_needed && a.*column.member != b.*column.member) return &column;
  }
  return nullptr;
}

/// Requires one problem for each case, and one unit for each of its metrics.
void refuse_mixed_cases(const std::vector<ResultRow>& rows, const std::string& path) {
  const auto found = first_at_odds(rows, hash_of_metric, unsteady_column);
  if (!found) return;
  const ResultRow &row = rows[found->first], &known = rows[found->second];
  const SteadyColumn& column = *unsteady_column(row, known);
  refuse(path, found->first, column.name, shown(row.*column.member) + " of " + shown(row.case_id),
         fmt::format("{} as in row {}", shown(known.*column.member), found->second + 1));
}

/// Estimates the number of rows in the file from those read so far, to allocate once.
void reserve(std::vector<ResultRow>& rows, const CsvReader& reader, std::uint64_t file_bytes) {
  constexpr std::size_t kSampled = 256;
  if (rows.size() != kSampled || reader.end_bytes() == 0) return;
  const double rows_per_byte = static_cast<double>(kSampled) / double(reader.end_bytes());
  rows.reserve(std::size_t(double(file_bytes) * rows_per_byte * 1.05) + kSampled);
  // Huge pages avoid about 10⁵ page faults for a large run.
  constexpr std::size_t kPageBytes = 4096;
  void* begin = rows.data();
  std::size_t bytes = rows.capacity() * sizeof(ResultRow);
  if (std::align(kPageBytes, kPageBytes, begin, bytes) == nullptr) return;
  ::madvise(begin, bytes / kPageBytes * kPageBytes,
            MADV_HUGEPAGE);  // only a hint: failure is harmless
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
  scan.visit_bytes = reader.end_bytes();
  while (reader.next()) {
    if (!unknown_size) reserve(scan.rows, reader, file_bytes);
    scan.rows.push_back(binding.parse(reader));
    const ResultRow& row = scan.rows.back();
    if (const RowMistake mistake = row_mistake(row); !mistake.column.empty())
      reader.fail(binding.position(mistake.column), mistake.found, mistake.expected);
    if (order == VisitOrder::any) continue;
    tracker.take(scan.rows, reader, part_column);
    if (!tracker.whole()) continue;
    scan.visit_rows = scan.rows.size();
    scan.visit_bytes = reader.end_bytes();
  }
  refuse_visits_again(scan.rows, path);
  refuse_mixed_cases(scan.rows, path);
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
