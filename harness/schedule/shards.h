/// Divides the cases of a run into parts that several processes measure: `--shard i/n`.
///
/// Every process computes the same parts from the same cases and times. Starts nothing.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "core/run/case_cost.h"

namespace plumbline {

/// "3/8": part 3 of 8 that together are all cases.
struct ShardNumber {
  std::int64_t index = 1, count = 1;
  auto operator<=>(const ShardNumber&) const = default;
};

/// Nothing for texts other than i/n with i from 1 to n.
std::optional<ShardNumber> shard_number(const std::string& text);
std::string text_of(const ShardNumber& shard);

/// The part of each case, from 0. Does not depend on the order of the cases.
///
/// Without costs, every part has about the same number of cases, and one case more moves few
/// others. With costs, parts take about the same time: the longest cases are placed first, each
/// into the part with the least time (Graham's LPT rule), so no part takes longer than 4/3 of the
/// best division. Cases without a cost come last and move no other; they count as the median. Cases
/// that cannot be measured are divided separately. Throws Error if some can be measured, but fewer
/// than `count`: a part would measure nothing.
std::vector<std::size_t> shards_of(std::span<const Case> cases, std::size_t count,
                                   const CaseCosts& costs = {});

}  // namespace plumbline
