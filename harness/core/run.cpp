#include "core/run.h"

#include <algorithm>

namespace plumbline {

std::optional<Status> status_named(std::string_view name) {
  const auto found = std::ranges::find(kStatusNames, name);
  if (found == kStatusNames.end()) return std::nullopt;
  return static_cast<Status>(found - kStatusNames.begin());
}

void SampleSet::add_block(std::span<const double> samples) {
  values_.insert(values_.end(), samples.begin(), samples.end());
  ends_.push_back(static_cast<std::uint32_t>(values_.size()));
}

std::span<const double> SampleSet::block(std::size_t i) const {
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::span(values_).subspan(begin, ends_[i] - begin);
}

}  // namespace plumbline
