/// A verdict in the formats of other programs, made from the verdict object alone.
///
/// Reads and writes no file. report.h makes the page for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/compare/comparison.h"
#include "reports/exports/source_place.h"

namespace plumbline {

/// GitHub refuses a comment of 65,536 characters or more.
inline constexpr std::size_t kMarkdownLimit = 65'000;

/// Markdown (GitHub's dialect): the headline, the causes as a list, findings that need action as a
/// table with the numbers of their causes, the rest as counts. A list shows tails and modes, the
/// self-check and the blindest cases. Most important first; the last line counts what exceeds
/// `limit_bytes`.
std::string markdown_text(const Comparison& comparison, std::size_t limit_bytes = kMarkdownLimit);

/// JUnit XML for Jenkins and GitLab: a test suite for each suite, a test case for each case ×
/// metric. SLOWER, BROKEN and MISSING are failures unless the ledger excuses them. NOT_JUDGED,
/// EXPECTED and quarantined cases are skipped. Everything else passes, with its reason as output.
/// `time` is the candidate's estimate if it is in seconds. The test suite `plumbline` has a failed
/// test case if there is a shift; its properties are the self-check, tails and modes.
std::string junit_text(const Comparison& comparison);

/// SARIF 2.1.0 (OASIS): a result for each case × metric that is SLOWER or BROKEN (error), MISSING
/// or NOT_JUDGED (warning), FASTER, FIXED or EXPECTED (note), at the place of its case, else at the
/// suite's file. Its fingerprint
/// stays the same from run to run; it is suppressed if the ledger excuses it. A shift is a warning
/// at the first suite's file. The self-check, tails and modes are notifications of the run.
std::string sarif_text(const Comparison& comparison, const SourcePlaces& places = {});

/// GitHub's workflow commands, one line for each cause, or finding without one: `::error …` for
/// SLOWER and BROKEN, `::warning …` for a shift, MISSING and NOT_JUDGED, `::notice …` for what the
/// ledger excuses. A line whose case has a place names file and lines. GitHub shows ten of each
/// kind: the tenth says how many more there are.
std::string annotations_text(const Comparison& comparison, const SourcePlaces& places = {});

/// A badge as shields.io draws it from a URL (its endpoint's schema): red with the number of broken
/// and slower cases, green if none is, yellow if the comparison cannot tell, grey if the runs
/// cannot be compared.
std::string badge_json(const Comparison& comparison);
/// `message`: letters, digits, commas and blanks. `colour`: a name that shields.io knows.
std::string badge_json(std::string_view message, std::string_view colour);

}  // namespace plumbline
