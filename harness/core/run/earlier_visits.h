/// The visits that a resumed run already has, as far as planning the rest needs them.
///
/// Takes 32 bytes a visit, and each name once, because a run may have a million visits. Knows no
/// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/run/result.h"

namespace plumbline {

/// A visit, or the row of a case that was not measured. Valid as long as the EarlierVisits is.
struct EarlierVisit {
  std::string_view suite, case_id;
  std::string_view worker;  // as in ResultRow; "" for a case that was not measured
  std::int64_t round = 0;
  Status status = Status::ok;
  bool has_metric = false;  // of its first row; false: nothing was measured in this visit
};

/// Copies share their visits.
class EarlierVisits {
 public:
  EarlierVisits() : shared_(std::make_shared<Shared>()) {}
  /// The visits whose first rows are among `rows`.
  EarlierVisits(std::span<const ResultRow> rows);  // NOLINT: rows tell visits
  EarlierVisits(const std::vector<ResultRow>& rows) : EarlierVisits(std::span(rows)) {}  // NOLINT

  /// Adds the visit that begins with this row.
  void add(const ResultRow& first_row);
  /// Removes the visit that was added last; there must be one.
  void drop_last() { shared_->visits.pop_back(); }

  std::size_t size() const { return shared_->visits.size(); }
  EarlierVisit operator[](std::size_t i) const;

 private:
  struct Visit {
    std::uint32_t suite = 0, case_id = 0, worker = 0;  // indexes of names
    Status status = Status::ok;
    std::int64_t round = 0;
    bool has_metric = false;
  };
  struct Shared {
    std::vector<Visit> visits;
    std::unordered_map<std::string, std::uint32_t> indexes;  // of names
    std::vector<std::string_view> names;                     // keys of `indexes`
    std::uint32_t index_of(const std::string& name);
  };
  std::shared_ptr<Shared> shared_;
};

}  // namespace plumbline
