#include "analysis/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace plumbline {
namespace {

/// How far the size of a change may be from the claimed one, as a factor of its logarithm.
constexpr double kSizeFactor = 2;

/// Of the logarithm of the ratio b / a.
struct Logs {
  double low = 0, high = 0;
  bool meets(const Logs& other) const { return low <= other.high && other.low <= high; }
};

std::optional<Logs> logs_of(const Finding& finding) {
  if (!finding.change || !finding.change_low || !finding.change_high) return std::nullopt;
  const Logs logs{std::log1p(*finding.change_low), std::log1p(*finding.change_high)};
  if (!std::isfinite(logs.low) || !std::isfinite(logs.high)) return std::nullopt;
  return logs;
}

enum class Direction { none, slower, faster };

Direction direction_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::slower:
    case Verdict::looks_slower:
      return Direction::slower;
    case Verdict::faster:
    case Verdict::looks_faster:
      return Direction::faster;
    default:
      return Direction::none;
  }
}

/// The changes that fit the claim.
Logs claimed_range(const Finding& claim, const Logs& own, double margin) {
  const double most = std::log1p(margin);
  switch (direction_of(claim.verdict)) {
    case Direction::slower:
      return {std::max(own.low, 0.0) / kSizeFactor, own.high * kSizeFactor};
    case Direction::faster:
      return {own.low * kSizeFactor, std::min(own.high, 0.0) / kSizeFactor};
    case Direction::none:
      break;
  }
  return {-most, most};
}

bool is_claim(const Finding& finding, bool takes_same) {
  const bool is_known = direction_of(finding.verdict) != Direction::none ||
                        (takes_same && finding.verdict == Verdict::same);
  return is_known && logs_of(finding);
}

bool is_same_verdict(const Finding& claim, const Finding& measured) {
  return claim.verdict == Verdict::same
             ? measured.verdict == Verdict::same
             : direction_of(claim.verdict) == direction_of(measured.verdict);
}

/// Why the replay excludes the claim.
std::string refutation(const Finding& claim, const Logs& range, const Logs& measured) {
  const Direction claimed = direction_of(claim.verdict);
  if (claimed == Direction::none) return "the case changed by more than the margin";
  const bool is_slower = claimed == Direction::slower;
  const bool is_larger = is_slower ? measured.low > range.high : measured.high < range.low;
  if (is_larger) return "the change is more than twice the claimed one";
  const bool is_opposite = is_slower ? measured.high < 0 : measured.low > 0;
  if (is_opposite) return is_slower ? "the case is faster here" : "the case is slower here";
  return "the change is less than half the claimed one, or none";
}

}  // namespace

std::vector<Finding> claims_of(const Comparison& comparison, const std::set<std::string>& cases) {
  std::vector<Finding> claims;
  for (const Finding& finding : comparison.findings)
    if ((cases.empty() || cases.contains(finding.case_id)) && is_claim(finding, !cases.empty()))
      claims.push_back(finding);
  for (const std::string& id : cases) {
    if (std::ranges::find(claims, id, &Finding::case_id) != claims.end()) continue;
    const auto known = std::ranges::find(comparison.findings, id, &Finding::case_id);
    if (known == comparison.findings.end())
      throw Error("--case " + id + ": the comparison has no such case");
    throw Error(fmt::format("--case {}: the comparison claims nothing about it: it is {}", id,
                            name_of(known->verdict)));
  }
  if (claims.empty())
    throw Error(
        "the comparison claims no change: no case is SLOWER or FASTER; name cases that are SAME "
        "with --case ID");
  return claims;
}

ClaimAnswer not_comparable(const Finding& claim, const std::string& reason) {
  return {claim, {}, ReplayAnswer::not_comparable, reason};
}

ClaimAnswer answer_of(const Finding& claim, const Finding* measured, double margin) {
  const auto own = logs_of(claim);
  if (!own) return not_comparable(claim, "the comparison has no interval of it");
  if (measured == nullptr) return not_comparable(claim, "the replay has no result of it");
  const auto found = logs_of(*measured);
  if (!found) {
    ClaimAnswer none = not_comparable(claim, measured->reason);
    if (none.reason.empty())
      none.reason = fmt::format("it is {} here", measured->candidate_status.empty()
                                                     ? std::string(name_of(measured->verdict))
                                                     : measured->candidate_status);
    none.measured = *measured;
    return none;
  }
  const Logs range = claimed_range(claim, *own, margin);
  ClaimAnswer answer{claim, *measured, ReplayAnswer::cannot_tell, ""};
  if (!found->meets(range)) {
    answer.answer = ReplayAnswer::refuted;
    answer.reason = refutation(claim, range, *found);
  } else if (is_same_verdict(claim, *measured)) {
    answer.answer = ReplayAnswer::confirmed;
  } else {
    answer.reason = fmt::format("it is {} here, and the interval does not exclude the claim",
                                name_of(measured->verdict));
  }
  return answer;
}

ReplayAnswer answer_of(const std::vector<ClaimAnswer>& answers) {
  const auto count = [&](ReplayAnswer answer) {
    return std::size_t(std::ranges::count(answers, answer, &ClaimAnswer::answer));
  };
  if (count(ReplayAnswer::refuted) > 0) return ReplayAnswer::refuted;
  if (count(ReplayAnswer::not_comparable) == answers.size()) return ReplayAnswer::not_comparable;
  return count(ReplayAnswer::confirmed) == answers.size() ? ReplayAnswer::confirmed
                                                          : ReplayAnswer::cannot_tell;
}

}  // namespace plumbline
