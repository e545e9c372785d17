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
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "store/csv/columns.h"
#include "store/csv/csv_reader.h"

namespace plumbline {
namespace {

std::string part_text(std::int64_t part, std::int64_t parts) {
  return std::to_string(part) + "/" + std::to_string(parts);
}

bool is_of_visit(const ResultRow& row, const Visit& visit) {
  return row.case_id == visit.case_id && row.round == visit.round && row.worker == visit.worker &&
         row.suite == visit.suite;
}

/// Follows visits through the rows of a run, part by part.
class VisitTracker {
 public:
  /// Takes the next row. Throws Error if it neither continues nor begins a visit.
  void take(const ResultRow& row, const CsvReader& reader, std::size_t part_column) {
    const bool fits =
        whole() ? row.part == 1
                : row.part == open_parts_ + 1 && row.parts == parts_ && is_of_visit(row, visit_);
    if (!fits) {
      const std::string expected = whole() ? "1/N, the first row of a visit"
                                           : part_text(open_parts_ + 1, parts_) +
                                                 " of the visit that the row before belongs to";
      reader.fail(part_column, shown(part_text(row.part, row.parts)) + " of " + shown(row.case_id),
                  expected);
    }
    open_parts_ = row.part == row.parts ? 0 : row.part;
    if (whole()) return;
    parts_ = row.parts;
    visit_ = visit_of(row);
  }
  bool whole() const { return open_parts_ == 0; }
  /// What the incomplete visit lacks, where the file ends.
  std::string lack() const {
    return "found the end after " + std::to_string(open_parts_) + " of the " +
           std::to_string(parts_) + " rows of the visit of " + shown(visit_.case_id);
  }

 private:
  std::int64_t open_parts_ = 0;  // rows seen of the incomplete visit
  std::int64_t parts_ = 0;       // rows of the incomplete visit
  Visit visit_;                  // the incomplete one
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

/// Finds repeated visits and mixed cases as refuse_visits_again() and refuse_mixed_cases() do, by
/// hashes alone: it may also doubt a file that they accept.
class DoubtsByHash {
 public:
  void take(const ResultRow& row) {
    const std::hash<std::string_view> hash;
    visits_.push_back(hash_of_visit(row));
    const std::size_t problem = mixed(mixed(hash(row.op), hash(row.backend)), hash(row.revision));
    const auto [known, is_new] = problems_.try_emplace(hash_of_metric(row), Problem{problem, 0});
    is_mixed_ = is_mixed_ || known->second.hash != problem;
    if (!has_samples(row.status)) return;
    std::size_t& unit = known->second.unit_hash;
    if (unit == 0) unit = hash(row.unit);
    is_mixed_ = is_mixed_ || unit != hash(row.unit);
  }
  bool any() {
    std::ranges::sort(visits_);
    return is_mixed_ || std::ranges::adjacent_find(visits_) != visits_.end();
  }

 private:
  struct Problem {
    std::size_t hash, unit_hash;  // unit_hash: 0 before the first samples
  };
  std::vector<std::size_t> visits_;
  std::unordered_map<std::size_t, Problem> problems_;  // by case × metric
  bool is_mixed_ = false;
};

/// Reads the file row by row. take(row, reader) gets each row; the scan itself has none.
template <class Take>
ResultScan scan_rows(const std::string& path, VisitOrder order, Take take) {
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
  VisitTracker tracker;
  std::size_t rows = 0;
  scan.visit_bytes = reader.end_bytes();
  for (; reader.next(); ++rows) {
    ResultRow row = binding.parse(reader);
    if (const RowMistake mistake = row_mistake(row); !mistake.column.empty())
      reader.fail(binding.position(mistake.column), mistake.found, mistake.expected);
    if (order == VisitOrder::contiguous) tracker.take(row, reader, part_column);
    take(std::move(row), reader);
    if (order == VisitOrder::any || !tracker.whole()) continue;
    scan.visit_rows = rows + 1;
    scan.visit_bytes = reader.end_bytes();
  }
  scan.torn = reader.torn();
  scan.hash = reader.hash();
  if (!tracker.whole())
    scan.incomplete = path + ": row " + std::to_string(rows) + ": " + tracker.lack();
  return scan;
}

}  // namespace

ResultScan scan_results(const std::string& path, VisitOrder order) {
  std::vector<ResultRow> rows;
  std::error_code unknown_size;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, unknown_size);
  ResultScan scan = scan_rows(path, order, [&](ResultRow&& row, const CsvReader& reader) {
    if (!unknown_size) reserve(rows, reader, file_bytes);
    rows.push_back(std::move(row));
  });
  refuse_visits_again(rows, path);
  refuse_mixed_cases(rows, path);
  scan.rows = std::move(rows);
  return scan;
}

ResultScan scan_visits(const std::string& path, EarlierVisits& visits) {
  DoubtsByHash doubts;
  ResultScan scan =
      scan_rows(path, VisitOrder::contiguous, [&](const ResultRow& row, const CsvReader&) {
        if (row.part == 1) visits.add(row);
        doubts.take(row);
      });
  if (doubts.any()) scan_results(path, VisitOrder::contiguous);  // throws if they are right
  if (scan.incomplete) visits.drop_last();
  return scan;
}

Visit visit_of(const ResultRow& row) { return {row.suite, row.case_id, row.round, row.worker}; }

}  // namespace plumbline
