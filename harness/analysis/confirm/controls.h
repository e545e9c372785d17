/// Where the counts of a self-check come from (self_check.h): controls and planted slowdowns,
/// judged by the very functions that judge the cases.
///
/// Without pairs a control is a case whose visits are split at random within each of the two runs,
/// and the halves compared over both: as many visits as the comparison has, while a real change and
/// what the runs differ by cancel. (Halves of one run would have half the visits, and with three
/// rounds one visit on a side.) It is judged without the run-to-run part, which is not in it, hence
/// more strictly than a case is; what the run-to-run part is worth, only pairs can tell.
///
/// With pairs a control is a case of which the baseline's build is measured beside itself.
///
/// A planted slowdown multiplies samples by 1 + size, which moves a logarithm by log(1 + size). A
/// constant added to them (as a short launch slows down) moves it as far and leaves less relative
/// noise, so that the one that is planted is the harder of the two.
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
/// that judge() decided. Changes in times only. Of more than 20,000 contrasts a part is checked.
SelfCheck check_screen(const std::vector<Contrast>& contrasts, const std::vector<Contrast>& halves,
                       const DecisionRule& rule, const std::vector<Finding>& findings,
                       std::uint64_t seed);

/// Pairs of two runs, and the trial whose rule and floors they are judged by.
struct MeasuredPairs {
  const Run& a;
  const Run& b;
  const PairedTrial& trial;
};

struct ControlOutcome {
  bool is_decided = true;    // every metric: more pairs say nothing more
  bool has_alarmed = false;  // a metric is SLOWER or FASTER
};

/// Of each case that has as many pairs as the first look, by its own pairs: controls are not
/// measured in every pair.
std::map<CaseKey, ControlOutcome> control_outcomes(const MeasuredPairs& control);

/// The self-check of pairs. `control`: the baseline's side beside itself; null = not measured.
/// `measured`: both sides. Slowdowns are planted in the controls and in `cases` of `measured`. Only
/// name cases that were drawn at random: those that looked changed are not like the rest.
SelfCheck check_pairs(const MeasuredPairs* control, const MeasuredPairs& measured,
                      const std::set<CaseKey>& cases, std::uint64_t seed);

}  // namespace plumbline
