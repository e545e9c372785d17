/// A finding in few words, for formats without a page.
#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "reports/units.h"

namespace plumbline {

/// Both sides, with as many digits as the interval of the change supports, as on the page.
QuantityPair times_of(const Finding& finding);

/// "+5.0 % [+4.1, +5.9]", and the change before a shift of the run was removed: ", +9.2 % raw".
std::string changes_of(const Finding& finding);

/// "unconfirmed (SAME)".
std::string unconfirmed_words(const Finding& finding);

/// "changes below 7 % are often missed; remedy: 9 rounds of both runs instead of 3".
std::string blind_text(const BlindSpot& spot);

/// What the comparison measured of itself, one line each: the null check, its own false-alarm rate
/// and power, and the number of blind cases. Missing parts are left out.
std::vector<std::string> own_measure_lines(const Comparison& comparison);

/// "1.00 ms -> 1.05 ms, +5.0 % [+4.1, +5.9], 12 pairs": the parts that are known.
std::string numbers_of(const Finding& finding);

/// Its reason, and the case's id in the baseline if that differs.
std::string why_of(const Finding& finding);

/// "cause 2: gemm libtorch: 12 of 14 cases with …"; "" without a cause.
std::string cause_of(const Comparison& comparison, const Finding& finding);

/// SLOWER and BROKEN unless excused: these fail a gate.
inline bool is_regression(const Finding& finding) {
  return finding.entry == 0 &&
         (finding.verdict == Verdict::slower || finding.verdict == Verdict::broken);
}

/// MISSING and NOT_JUDGED unless excused: these leave a gate without an answer.
inline bool is_unanswered(const Finding& finding) {
  return finding.entry == 0 &&
         (finding.verdict == Verdict::missing || finding.verdict == Verdict::not_judged);
}

}  // namespace plumbline
