/// A verdict in the formats that other programs read: each is made from the verdict object alone.
///
/// Reads and writes no file. What a person opens is report.h's page.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// GitHub refuses a comment of 65,536 characters or more.
inline constexpr std::size_t kMarkdownLimit = 65'000;

/// Markdown (GitHub's dialect): the sentence, the causes as a list, what needs action as a table
/// with the numbers of its causes, the rest as counts; tails and modes, what the comparison
/// measured of itself and the blindest cases as a list. Most important first; what does not fit
/// into `limit_bytes` is counted in the last line.
std::string markdown_text(const Comparison& comparison, std::size_t limit_bytes = kMarkdownLimit);

/// JUnit XML as Jenkins and GitLab read it: a test suite per suite, a test case per case × metric.
/// SLOWER, BROKEN and MISSING are failures, unless the ledger excuses them; NOT_JUDGED, EXPECTED
/// and what is quarantined are skipped; everything else passes, with its reason as output. `time`
/// is the candidate's estimate where it is in seconds. A shift of the run, or of a part of it, is a
/// failure of a test case of its own, in the test suite `plumbline`, whose properties tell what the
/// comparison measured of itself, and tails and modes.
std::string junit_text(const Comparison& comparison);

/// SARIF 2.1.0 (OASIS): a result for each case × metric that is SLOWER or BROKEN (error), MISSING
/// or NOT_JUDGED (warning), FASTER, FIXED or EXPECTED (note), at the suite's file, with a
/// fingerprint that stays the same from run to run; suppressed where the ledger excuses it. A shift
/// is a warning at the first suite's file; what the comparison measured of itself, tails and modes
/// are notifications of the run.
std::string sarif_text(const Comparison& comparison);

/// GitHub's workflow commands, a line for each cause, or finding without one: `::error …` for
/// SLOWER and BROKEN, `::warning …` for a shift, MISSING and NOT_JUDGED, `::notice …` for what the
/// ledger excuses. GitHub shows ten of a kind: the tenth says how many more there are.
std::string annotations_text(const Comparison& comparison);

}  // namespace plumbline
