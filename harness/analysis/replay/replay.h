/// What a comparison claims, and what measuring again says about each claim.
///
/// Compares findings; measures nothing and reads no files. Pure.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"

namespace plumbline {

enum class ReplayAnswer { confirmed, refuted, cannot_tell, not_comparable };

inline constexpr std::array<std::string_view, 4> kAnswerNames{"CONFIRMED", "REFUTED", "CANNOT TELL",
                                                              "NOT COMPARABLE"};

constexpr std::string_view name_of(ReplayAnswer answer) {
  return kAnswerNames[static_cast<std::size_t>(answer)];
}

/// The claims of a comparison: findings that are SLOWER or FASTER, or look so. With `cases`, those
/// of these cases alone, and SAME ones, too. Throws Error for a case without a claim, and if there
/// is none at all.
std::vector<Finding> claims_of(const Comparison& comparison, const std::set<std::string>& cases);

/// The answer to one claim.
struct ClaimAnswer {
  Finding claim;
  std::optional<Finding> measured;  // of the replay; nothing: the case was not measured
  ReplayAnswer answer = ReplayAnswer::not_comparable;
  std::string reason;  // in words
};

/// By the replay's finding about the same case and metric, nothing if it has none. The size of a
/// change may be half or twice the claimed one: cards of one class and their days differ. `margin`:
/// of SAME, a fraction.
///  - CONFIRMED: the same verdict, and the intervals agree so far.
///  - REFUTED: the replay's interval excludes all of that.
///  - CANNOT TELL: it does neither.
///  - NOT COMPARABLE: there is no interval.
ClaimAnswer answer_of(const Finding& claim, const Finding* measured, double margin);

/// The same for a reason that was known before.
ClaimAnswer not_comparable(const Finding& claim, const std::string& reason);

/// Of all claims: REFUTED if one is; CONFIRMED if all are; else CANNOT TELL, or NOT COMPARABLE
/// where none could be compared.
ReplayAnswer answer_of(const std::vector<ClaimAnswer>& answers);

}  // namespace plumbline
