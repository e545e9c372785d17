/// What two runs recorded of their cases beside the times, for find_causes()
/// (analysis/causes/causes.h).
///
/// Reads the JSON of results.csv's columns `kernels` and `plan`; judges nothing.
#pragma once

#include <memory>

#include "analysis/estimate/recorded.h"
#include "core/run/run.h"

namespace plumbline {

/// Two runs that findings were reached on, in order of preference: a case is taken from the first
/// pair that holds it on both sides. Of pairs measured side by side come only findings that were
/// decided by them.
struct RunPair {
  const Run* baseline = nullptr;
  const Run* candidate = nullptr;
  bool is_measured_in_pairs = false;
};

/// Reads a case when it is asked for, each once. The runs must outlive what is returned; there must
/// be at least one pair that is not measured in pairs, or only ones that are.
EvidenceOf evidence_from(const std::vector<RunPair>& runs);

/// What rows of one case recorded. `metric`: whose clocks and power.
CaseRecord record_of(std::span<const ResultRow* const> rows, std::string_view metric);

/// Finds the causes of a comparison of two runs, and of what was measured again in pairs.
void explain(Comparison& comparison, const Run& baseline, const Run& candidate,
             const Run* paired_baseline = nullptr, const Run* paired_candidate = nullptr);

}  // namespace plumbline
