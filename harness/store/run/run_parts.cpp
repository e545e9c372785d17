#include "store/run/run_parts.h"

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/csv/columns.h"

namespace plumbline {
namespace {

/// results.csv, row by row, with the index of each row's case: cases are numbered as they appear.
class NumberedRows {
 public:
  NumberedRows(const std::string& path, std::unordered_map<std::string, std::size_t>& numbers)
      : reader_(path),
        binding_(reader_, result_columns(), path),
        suite_(binding_.position("suite")),
        case_(binding_.position("case")),
        numbers_(numbers) {}

  bool next() {
    const std::uint64_t before = reader_.end_bytes();
    if (!reader_.next()) return false;
    bytes_ = reader_.end_bytes() - before;
    key_ = reader_.field(suite_);
    key_ += '\0';
    key_ += reader_.field(case_);
    number_ = numbers_.try_emplace(key_, numbers_.size()).first->second;
    return true;
  }
  std::size_t number() const { return number_; }
  std::uint64_t bytes() const { return bytes_; }
  ResultRow row() const { return binding_.parse(reader_); }

 private:
  CsvReader reader_;
  ColumnBinding<ResultRow> binding_;
  std::size_t suite_, case_;
  std::unordered_map<std::string, std::size_t>& numbers_;
  std::string key_;
  std::size_t number_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

void for_each_part(const std::string& path, const RunInfo& info, const OnPart& on_part,
                   std::uint64_t most_bytes) {
  std::unordered_map<std::string, std::size_t> numbers;
  std::vector<std::uint64_t> bytes;  // of each case
  for (NumberedRows rows(path, numbers); rows.next();) {
    bytes.resize(numbers.size());
    bytes[rows.number()] += rows.bytes();
  }
  Run part;
  part.info = info;
  for (std::size_t begin = 0, end = 0; begin < bytes.size(); begin = end) {
    std::uint64_t held = 0;
    while (end < bytes.size() && (end == begin || held + bytes[end] <= most_bytes))
      held += bytes[end++];
    part.rows.clear();
    for (NumberedRows rows(path, numbers); rows.next();)
      if (rows.number() >= begin && rows.number() < end) part.rows.push_back(rows.row());
    on_part(part);
  }
}

}  // namespace plumbline
