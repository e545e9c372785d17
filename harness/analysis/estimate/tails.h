/// Tails that got slower while the median stays: if one launch in twenty takes 50 % longer (an
/// allocator, other streams), no median moves.
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

/// log(p95 / median) of the blocks of a visit that count; nothing with fewer than 20.
std::optional<double> tail_of(const ResultRow& row);

/// log(p95 / median) of each visit's blocks; empty if a visit has fewer than 20 that count.
std::vector<double> tails_of(const MetricRows& side);

/// The change of the tail (log) for the case × metric of findings[finding]. Nothing if a visit has
/// too few blocks for a 95th percentile, or a side has fewer than two visits.
std::optional<Contrast> tail_contrast(const MetricRows& baseline, const MetricRows& candidate,
                                      std::size_t finding);

/// Each tail of a SAME or UNRESOLVED finding that got slower by at least 2.5 × the rule's margin (5
/// % on a GPU), largest first. Judged like medians: moderated variances, one family of tests.
std::vector<DistributionChange> tail_changes(const std::vector<Contrast>& tails,
                                             const DecisionRule& rule,
                                             const std::vector<Finding>& findings);

}  // namespace plumbline
