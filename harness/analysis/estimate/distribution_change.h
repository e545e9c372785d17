/// Changes in the distribution of a case's times that a mean may not show: tails, and how often a
/// process is in the slower of two modes.
///
/// These are separate findings beside the verdicts: they are tested as their own families and do
/// not affect the exit code. Data and words; tails.h and mode_weights.h find them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

enum class DistributionKind { tail, modes };

inline constexpr std::array<std::string_view, 2> kDistributionKindNames{"tail", "modes"};

constexpr std::string_view name_of(DistributionKind kind) {
  return kDistributionKindNames[static_cast<std::size_t>(kind)];
}

struct DistributionChange {
  DistributionKind kind = DistributionKind::tail;
  std::string suite, case_id, op, backend, metric;
  /// A tail: change of p95 / median, a fraction. Modes: change of the share of visits in the slower
  /// mode, from `before` to `now`.
  double change = 0, change_low = 0, change_high = 0;
  double before = 0, now = 0;  // shares; 0 for a tail
  double gap = 0;              // between the modes, a fraction; 0 for a tail
  std::size_t visits_before = 0, visits_now = 0;
  double p_value = 1, adjusted_p = 1;

  bool operator==(const DistributionChange&) const = default;
};

/// "Tail: CASE, METRIC: the 95th percentile of its blocks is 12 % slower (…), the median stays."
std::string distribution_text(const DistributionChange& change);

/// One sentence each: worse and larger changes first, ten at most, then how many more.
std::vector<std::string> distribution_lines(const std::vector<DistributionChange>& changes);

}  // namespace plumbline
