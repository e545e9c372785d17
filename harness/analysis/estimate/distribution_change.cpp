#include "analysis/estimate/distribution_change.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/compare/judge.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostLines = 10;

std::string share(double part) { return fmt::format("{:.0f} %", 100 * part); }

}  // namespace

std::string distribution_text(const DistributionChange& found) {
  if (found.kind == DistributionKind::tail)
    return fmt::format(
        "Tail: {}, {}: the 95th percentile of its blocks is {} slower ({} to {}), the median "
        "stays.",
        found.case_id, found.metric, percent_text(found.change, false),
        percent_text(found.change_low), percent_text(found.change_high));
  return fmt::format(
      "Modes: {}, {}: {} of {} visits in the slower of two modes {} apart, {} of {} before (p = "
      "{:.2g} adjusted).",
      found.case_id, found.metric, share(found.now), found.visits_now,
      percent_text(found.gap, false), share(found.before), found.visits_before, found.adjusted_p);
}

std::vector<std::string> distribution_lines(const std::vector<DistributionChange>& changes) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(changes.size(), kMostLines); ++i)
    lines.push_back(distribution_text(changes[i]));
  if (changes.size() > kMostLines)
    lines.push_back(fmt::format("{} more tails and modes changed.", changes.size() - kMostLines));
  return lines;
}

}  // namespace plumbline
