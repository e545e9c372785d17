/// How the counts of a self-check are made (self_check.h): controls and planted slowdowns, judged
/// by the same functions that judge the cases.
///
/// Without pairs, a control is a case whose visits are split at random within each of the two runs.
/// The halves are compared over both runs: this uses all visits, while a real change and the
/// difference between the runs cancel. (Halves of one run would have half the visits: with three
/// rounds, one side has a single visit.) A control contains no noise between runs and is judged
/// without that part, more strictly than a case. Only pairs can test that part.
///
/// With pairs, a control is a case whose baseline build is measured against itself.
///
/// A planted slowdown multiplies samples by 1 + size, which adds log(1 + size) to a logarithm. A
/// short launch slows down by a constant instead. That shifts the logarithm equally and leaves less
/// relative noise, so the planted slowdown is the harder one to find.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/judge.h"
#include "analysis/confirm/confirm.h"
#include "analysis/confirm/paired_comparison.h"
#include "analysis/confirm/self_check.h"

namespace plumbline {

/// The control of a case × metric without pairs: `baseline` and `candidate` are its visits' logs.
/// Has 0 degrees of freedom where a run has fewer than two visits.
Contrast halves_of(const Contrast& contrast, std::span<const double> baseline,
                   std::span<const double> candidate, std::uint64_t seed);

/// The self-check of a screen: `halves[i]` is the control of `contrasts[i]`; `findings` are those
/// that judge() decided. Covers changes in times only. With more than 20,000 contrasts, a part is
/// checked.
SelfCheck check_screen(const std::vector<Contrast>& contrasts, const std::vector<Contrast>& halves,
                       const DecisionRule& rule, const std::vector<Finding>& findings,
                       std::uint64_t seed);

/// Pairs of two runs, and the trial whose rule and floors judge them.
struct MeasuredPairs {
  const Run& a;
  const Run& b;
  const PairedTrial& trial;
};

struct ControlOutcome {
  bool is_decided = true;    // for every metric: more pairs change nothing
  bool has_alarmed = false;  // a metric is SLOWER or FASTER
};

/// The outcome of each case that has enough pairs for the first look, judged by its own pairs:
/// controls are not measured in every pair.
std::map<CaseKey, ControlOutcome> control_outcomes(const MeasuredPairs& control);

/// The self-check of pairs. `control`: the baseline's side measured against itself; null = not
/// measured. `measured`: both sides. Slowdowns are planted in the controls and in `cases` of
/// `measured`, which must be drawn at random: cases that looked changed are not representative.
SelfCheck check_pairs(const MeasuredPairs* control, const MeasuredPairs& measured,
                      const std::set<CaseKey>& cases, std::uint64_t seed);

}  // namespace plumbline
