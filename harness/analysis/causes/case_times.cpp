#include "analysis/causes/case_times.h"

#include <algorithm>
#include <array>

namespace plumbline {
namespace {

constexpr std::array<std::string_view, 5> kMetrics{
    "gpu_time_cold", "gpu_time_hot", "kernel_time_cold", "kernel_time_hot", "wall_time"};

}  // namespace

std::optional<std::size_t> rank_as_time(std::string_view metric) {
  const auto found = std::ranges::find(kMetrics, metric);
  if (found == kMetrics.end()) return std::nullopt;
  return std::size_t(found - kMetrics.begin());
}

CaseTimes case_times(const Comparison& comparison) {
  CaseTimes times;
  for (const Finding& finding : comparison.findings) {
    const auto rank = rank_as_time(finding.metric);
    if (!rank || !finding.baseline || !finding.change) continue;
    const double before = *finding.baseline;
    CaseTime time{*rank, before, before * (1 + *finding.change)};
    if (finding.change_low && finding.change_high)
      time.half_width_s = before * (*finding.change_high - *finding.change_low) / 2;
    const auto [place, is_new] = times.try_emplace({finding.suite, finding.case_id}, time);
    if (!is_new && *rank < place->second.rank) place->second = time;
  }
  return times;
}

}  // namespace plumbline
