/// What two runs recorded about their cases besides times, for find_causes()
/// (analysis/causes/causes.h).
///
/// Reads the JSON of results.csv's columns `kernels` and `plan`; judges nothing.
#pragma once

#include <memory>

#include "analysis/estimate/recorded.h"
#include "core/run/run.h"

namespace plumbline {

/// Two runs behind some findings, in order of preference: a case is read from the first pair that
/// has it on both sides. Runs measured in pairs are only used for findings that the pairs decided.
struct RunPair {
  const Run* baseline = nullptr;
  const Run* candidate = nullptr;
  bool is_measured_in_pairs = false;
};

/// Reads each case once, when it is first needed. The runs must outlive the result. At least one
/// pair must not be measured in pairs, unless all are.
EvidenceOf evidence_from(const std::vector<RunPair>& runs);

/// What the rows of one case recorded. `metric`: the one whose clocks and power are used.
CaseRecord record_of(std::span<const ResultRow* const> rows, std::string_view metric);

/// Finds the causes of a comparison of two runs, and of cases that were measured again in pairs.
void explain(Comparison& comparison, const Run& baseline, const Run& candidate,
             const Run* paired_baseline = nullptr, const Run* paired_candidate = nullptr);

}  // namespace plumbline
