/// What of a comparison statuses and coverage decide, before any number is looked at. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/estimate/estimate.h"

namespace plumbline {

/// A case of two runs; nullptr: not in that run. At most one is.
struct CaseSides {
  const CaseRows *baseline, *candidate;
};

/// Whether there is nothing to be told of a case that the runs have so; nullptr: not in that run.
bool is_no_news(const CaseRows* baseline, const CaseRows* candidate);

/// "WRONG: error 0.5".
std::string status_text(const CaseRows& found);
std::string status_text(const ResultRow& row);

struct Decision {
  Verdict verdict;
  std::string reason;
};

/// What statuses say of a case that is news; nothing where its metrics have to be compared.
std::optional<Decision> decide_by_status(const CaseRows* baseline, const CaseRows* candidate);

/// Of a metric that left its suite, or that the command left out: no fault of the run.
inline constexpr std::string_view kNotAsked = "no longer measured: this run does not ask for it";

/// Why a side that has visits has none with this metric.
std::string why_missing(const CaseRows& side, std::string_view metric, bool is_baseline,
                        const RunInfo& candidate);

/// A sentence on the cases that are UNVERIFIED and were OK, if there are any: their times are
/// compared, but nothing says any more that they are times of right answers.
std::vector<std::string> unverified_notes(std::span<const CaseSides> cases);

}  // namespace plumbline
