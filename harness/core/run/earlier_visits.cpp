#include "core/run/earlier_visits.h"

namespace plumbline {

std::uint32_t EarlierVisits::Shared::index_of(const std::string& name) {
  const auto [place, is_new] = indexes.try_emplace(name, std::uint32_t(names.size()));
  if (is_new) names.push_back(place->first);
  return place->second;
}

EarlierVisits::EarlierVisits(std::span<const ResultRow> rows) : EarlierVisits() {
  for (const ResultRow& row : rows)
    if (row.part == 1) add(row);
}

void EarlierVisits::add(const ResultRow& first_row) {
  Shared& all = *shared_;
  all.visits.push_back({all.index_of(first_row.suite), all.index_of(first_row.case_id),
                        all.index_of(first_row.worker), first_row.status, first_row.round,
                        !first_row.metric.empty()});
}

EarlierVisit EarlierVisits::operator[](std::size_t i) const {
  const Visit& visit = shared_->visits[i];
  const std::vector<std::string_view>& names = shared_->names;
  return {names[visit.suite], names[visit.case_id], names[visit.worker],
          visit.round,        visit.status,         visit.has_metric};
}

}  // namespace plumbline
