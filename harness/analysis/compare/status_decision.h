/// The part of a comparison that statuses and coverage decide, before any number is read. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/estimate/estimate.h"

namespace plumbline {

/// A case of two runs; nullptr: not in that run. At most one is nullptr.
struct CaseSides {
  const CaseRows *baseline, *candidate;
};

/// True if there is nothing to report about the case; nullptr: not in that run.
bool is_no_news(const CaseRows* baseline, const CaseRows* candidate);

/// "WRONG: error 0.5".
std::string status_text(const CaseRows& found);
std::string status_text(const ResultRow& row);

struct Decision {
  Verdict verdict;
  std::string reason;
};

/// The verdict by status for a case with news; nothing if its metrics have to be compared.
std::optional<Decision> decide_by_status(const CaseRows* baseline, const CaseRows* candidate);

/// For a metric that its suite or the command line no longer asks for: not the run's fault.
inline constexpr std::string_view kNotAsked = "no longer measured: this run does not ask for it";

/// Why a side that has visits lacks this metric.
std::string why_missing(const CaseRows& side, std::string_view metric, bool is_baseline,
                        const RunInfo& candidate);

/// Sentences on cases that were OK and are UNVERIFIED now (their times are compared, but nothing
/// shows any more that the results are right), and on sides of which neither measured anything.
std::vector<std::string> status_notes(std::span<const CaseSides> cases);

}  // namespace plumbline
