/// Tails that got slower behind a median that stays: where one launch in twenty takes half as long
/// again (an allocator, other streams), no median moves.
///
/// A tail is log(p95 / median) of the medians of a visit's blocks, which baselines keep as well;
/// the unit of replication is the visit. Findings of their own, no verdicts. Reads no files.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/compare/judge.h"
#include "analysis/estimate/estimate.h"

namespace plumbline {

/// log(p95 / median) of the blocks of a visit that count; nothing of fewer than 20.
std::optional<double> tail_of(const ResultRow& row);

/// log(p95 / median) of each visit's blocks; none where a visit has fewer than 20 that count.
std::vector<double> tails_of(const MetricRows& side);

/// What the tail of the case × metric of findings[finding] changed by (log). Nothing where a visit
/// of either side has too few blocks for a 95th percentile, or a side fewer than two visits.
std::optional<Contrast> tail_contrast(const MetricRows& baseline, const MetricRows& candidate,
                                      std::size_t finding);

/// Each tail that got slower by 2.5 × the rule's margin or more (5 % on a GPU) in a finding that is
/// SAME or UNRESOLVED, the largest first. Judged as medians are: variances moderated, one family of
/// tests.
std::vector<DistributionChange> tail_changes(const std::vector<Contrast>& tails,
                                             const DecisionRule& rule,
                                             const std::vector<Finding>& findings);

}  // namespace plumbline
