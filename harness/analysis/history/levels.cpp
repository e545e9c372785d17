#include "analysis/history/levels.h"

#include <algorithm>
#include <cmath>

#include "stats/descriptive.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

constexpr double kLeastStep = 0.01, kStepLevel = 1e-4;
/// A step is tested within this many runs on either side: more could contain other steps.
constexpr std::size_t kAround = 8;
/// A single run may be a level of its own if it has this many others beside it.
constexpr std::size_t kAloneBeside = 4;

/// Strays are this many standard deviations (from the MAD) and this much away. With fewer values
/// than kStraysFrom, or with more strays than kStraysMost, none counts: the series is like that.
constexpr double kStrayDeviations = 10, kLeastStray = 0.05, kStraysMost = 0.125;
constexpr std::size_t kStraysFrom = 8;

double squares(std::span<const double> values) {
  return values.size() < 2 ? 0 : variance(values) * double(values.size() - 1);
}

/// Sums of the first 0, 1, … values.
std::vector<double> sums_of(std::span<const double> logs) {
  std::vector<double> sums{0};
  sums.reserve(logs.size() + 1);
  for (const double log : logs) sums.push_back(sums.back() + log);
  return sums;
}

/// p value of a step at `at`: runs before it against those from it on. 1 if it is too small.
/// `sums`: sums_of(logs). Histories have millions of places, and hardly any has a step: the sums
/// tell those that are far too small.
double p_of_step(std::span<const double> logs, std::span<const double> sums, std::size_t at) {
  constexpr double kRounding = 1e-9;  // more than that of the sums
  const std::size_t from = at > kAround ? at - kAround : 0;
  const auto before = logs.subspan(from, at - from),
             after = logs.subspan(at, std::min(kAround, logs.size() - at));
  const double about = (sums[at + after.size()] - sums[at]) / double(after.size()) -
                       (sums[at] - sums[from]) / double(before.size());
  if (std::abs(about) < kLeastStep - kRounding) return 1;
  const double step = std::abs(mean(after) - mean(before));
  if (step < kLeastStep) return 1;
  const auto df = double(before.size() + after.size() - 2);
  const double error = std::sqrt((squares(before) + squares(after)) / df *
                                 (1 / double(before.size()) + 1 / double(after.size())));
  return error > 0 ? student_t_two_sided_p(step / error, df) : 0;
}

bool may_begin(std::size_t at, std::size_t size, bool first_alone) {
  const std::size_t after = size - at;
  return after > 1 && (at > 1 || (first_alone && after >= kAloneBeside));
}

void add_starts(std::span<const double> logs, std::size_t offset, bool first_alone,
                std::vector<std::size_t>& starts) {
  const std::vector<double> sums = sums_of(logs);
  std::size_t best = 0;
  double least = kStepLevel;
  for (std::size_t at = 1; at < logs.size(); ++at) {
    if (!may_begin(at, logs.size(), first_alone)) continue;
    if (const double p = p_of_step(logs, sums, at); p < least) least = p, best = at;
  }
  if (best == 0) return;
  add_starts(logs.first(best), offset, first_alone, starts);
  starts.push_back(offset + best);
  add_starts(logs.subspan(best), offset + best, false, starts);
}

}  // namespace

std::vector<std::size_t> level_starts(std::span<const double> logs, bool first_alone) {
  std::vector<std::size_t> starts{0};
  add_starts(logs, 0, first_alone, starts);
  return starts;
}

LevelRange level_of(std::span<const std::size_t> starts, std::size_t index, std::size_t size) {
  const auto next = std::ranges::upper_bound(starts, index);
  return {*(next - 1), next == starts.end() ? size : *next};
}

std::vector<double> without_strays(std::span<const double> level, std::optional<double> judged) {
  std::vector<double> kept(level.begin(), level.end());
  if (kept.size() < kStraysFrom) return kept;
  const auto [lowest, highest] = std::ranges::minmax(kept);
  if (highest - lowest <= kLeastStray) return kept;  // none can be far from the middle
  const double middle = median(kept);
  const double far =
      std::max(kLeastStray, kStrayDeviations * kSdPerMad * median_absolute_deviation(kept));
  const auto is_near_judged = [&](double value) {
    return judged && std::abs(value - *judged) < std::abs(*judged - middle) / 2;
  };
  std::erase_if(
      kept, [&](double value) { return std::abs(value - middle) > far && !is_near_judged(value); });
  const auto strays = double(level.size() - kept.size());
  if (strays <= kStraysMost * double(level.size())) return kept;
  return {level.begin(), level.end()};
}

}  // namespace plumbline
