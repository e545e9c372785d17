/// Judges pairs: two builds measured side by side, case by case (schedule/pairs.h makes them).
///
/// A pair of a case gives one difference of logarithms: the mean of B's two visits minus the mean
/// of A's two. It uses the blocks that all four visits have, so that shared placements cancel. The
/// pair is the unit of replication. Pairs are judged after 3, 6, 12, 24 and 48 of them. Each look
/// has an equal share of the error rate (Bonferroni), so that most cases end early. Fewer than six
/// pairs show only large changes: a process may be 6 % slower by chance
/// (device/cuda/context_draw.h), and in three pairs this may always hit the same side. Estimates
/// are Hodges & Lehmann's (1963) with the interval of Wilcoxon's distribution. P values are
/// Student's, because those of ranks are too coarse for a family of tests: with 12 pairs they never
/// fall below 0.0005. Pure numbers; starts nothing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "core/run/run.h"

namespace plumbline {

/// Differences of one case × metric. Views into run `a`, which must outlive them.
struct PairedSeries {
  std::string_view suite, case_id, metric, unit;
  std::vector<double> differences;  // log b − log a, one for each pair
  std::size_t discarded = 0;        // pairs in which a visit lost blocks to an external cause
};

/// The pairs of two runs whose rounds are pairs. A pair counts if all four visits have the metric.
/// It is discarded, and counted as such, if blocks of one visit were set aside (foreign work, heat,
/// a power brake). In the order of run `a`.
std::vector<PairedSeries> paired_series(const Run& a, const Run& b);

/// Fractions. Looks are numbers of pairs, in rising order.
struct PairedRule {
  std::vector<std::size_t> looks{3, 6, 12, 24, 48};
  double false_discovery_rate = 0.01;  // over all looks together
  double margin = 0.02;                // SAME = interval inside ± margin
  double effect_floor = 0.005;         // smallest change that is called SLOWER or FASTER
  double early_floor = 0.10;           // the same for fewer than kPairsForSmall pairs
};

/// Pairs needed to report a change below the early floor, and pairs needed for SAME within the
/// whole margin. With fewer pairs, the interval must lie inside ± the effect floor: otherwise a
/// slowdown would pass that a few more pairs show.
inline constexpr std::size_t kPairsForSmall = 6, kPairsForSame = 12;

/// The rule for a kind of device ("cuda", "cpu").
PairedRule default_paired_rule(std::string_view device_kind);

struct PairedJudgement {
  Verdict verdict = Verdict::unresolved;  // SLOWER, FASTER, SAME, UNRESOLVED
  /// LOOKS_SLOWER or LOOKS_FASTER if only the early floor left it UNRESOLVED; else UNRESOLVED.
  Verdict looks = Verdict::unresolved;
  std::size_t pairs = 0;
  double change = 0, low = 0, high = 0;  // logarithms; the interval at the level of this look
  double p_value = 1, adjusted_p = 1;    // of this look
  double detectable = 0;                 // log; a change that this many pairs show 80 % of the time
};

/// Throws Error if a number of the rule is out of range.
void require_rule(const PairedRule& rule);

/// Judges each series at one look; `look` is an index into the rule's looks. `floors`: the smallest
/// change (fraction) that counts in each series. UNRESOLVED before the last look means: go on. A
/// series of fewer than 2 pairs is UNRESOLVED. Throws Error if sizes differ or the rule is invalid.
std::vector<PairedJudgement> judge_pairs(const std::vector<PairedSeries>& series,
                                         const std::vector<double>& floors, const PairedRule& rule,
                                         std::size_t look);

/// The final verdict of each series, look by look. Each look judges the undecided series that have
/// enough pairs, by exactly that many pairs.
std::vector<Verdict> verdicts_by_looks(const std::vector<PairedSeries>& series,
                                       const std::vector<double>& floors, const PairedRule& rule);

}  // namespace plumbline
