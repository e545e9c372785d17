/// How the cases of a run ended.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/expected.h"
#include "analysis/estimate/estimate.h"
#include "workflow/talk.h"

namespace plumbline {

/// Cases of a run by how they ended.
struct RunCounts {
  std::map<Status, std::size_t> cases;     // without expected failures
  std::map<Status, std::size_t> expected;  // cases that ended as their suite expects
  std::size_t measured = 0;
  std::size_t failed = 0;  // WRONG, CRASHED, TIMEOUT, OUT_OF_MEMORY, without expected ones
};
RunCounts count_cases(const std::vector<CaseSummary>& rows,
                      std::span<const ExpectedFailure> expected);

/// "18 OK, 1 WRONG, 2 EXCLUDED; 3 WRONG as expected".
std::string counts_in_words(const RunCounts& counts);

/// "3 UNSUPPORTED: …", a line for each reason, the most frequent first; at most five and how many
/// more there are. Without cases that are expected to be.
std::vector<std::string> reasons_unsupported(const std::vector<CaseSummary>& rows,
                                             std::span<const ExpectedFailure> expected);

/// If no case was measured and none failed, notes why cases are UNSUPPORTED or EXCLUDED, most
/// frequent reason first, and throws Error. `run`: " of DIRECTORY", or "".
void require_measured(const RunCounts& counts, const std::vector<CaseSummary>& rows,
                      const std::string& run, Talk& talk);

}  // namespace plumbline
