/// What of a comparison statuses and coverage decide, before any number is looked at. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/comparison.h"
#include "analysis/estimate.h"

namespace plumbline {

/// Left out on purpose or impossible here: its absence is no news. Absent cases (nullptr) too.
bool set_aside(const CaseRows* found);

/// "WRONG: error 0.5".
std::string status_text(const CaseRows& found);
std::string status_text(const ResultRow& row);

struct Decision {
  Verdict verdict;
  std::string reason;
};

/// Nothing where the metrics have to be compared. At most one side is set aside.
std::optional<Decision> decide_by_status(const CaseRows* baseline, const CaseRows* candidate);

/// Why a side that has visits has none with this metric.
std::string why_missing(const CaseRows& side, std::string_view metric, bool is_baseline);

}  // namespace plumbline
