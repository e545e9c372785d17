#include "core/run/result.h"

#include <algorithm>

namespace plumbline {

void SampleSet::add_block(std::span<const double> samples) {
  values_.insert(values_.end(), samples.begin(), samples.end());
  ends_.push_back(static_cast<std::uint32_t>(values_.size()));
}

std::span<const double> SampleSet::block(std::size_t i) const {
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::span(values_).subspan(begin, ends_[i] - begin);
}

void MeasuredMetric::add_flag(std::string_view flag) {
  if (std::ranges::find(flags, flag) == flags.end()) flags.emplace_back(flag);
}

void number_rows(std::span<ResultRow> visit) {
  for (std::size_t i = 0; i < visit.size(); ++i) {
    visit[i].part = static_cast<std::int64_t>(i) + 1;
    visit[i].parts = static_cast<std::int64_t>(visit.size());
  }
}

}  // namespace plumbline
