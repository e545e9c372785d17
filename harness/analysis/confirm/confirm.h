/// The second stage of a verdict: which cases a comparison leaves in doubt, and what becomes of it
/// once both builds were measured side by side (design, section 6.6).
///
/// The screen is lenient, because a case that it passes over is lost and one that it flags is only
/// measured again. Sizes of changes come from the pairs alone: what was flagged was flagged for
/// being large, and is smaller when it is looked at again. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analysis/confirm/paired_comparison.h"
#include "analysis/confirm/side_code.h"
#include "analysis/estimate/estimate.h"

namespace plumbline {

struct ScreenRule {
  /// Cases with a p value up to this are flagged, before any adjustment for their number.
  double level = 0.02;
  /// Of the others this share is measured too, at random: it shows what the screen misses.
  double audit_share = 0.01;
  std::size_t shift_cases = 3;  // so many of each shift that is told
};

struct Doubts {
  std::set<CaseKey> flagged, audited;
  /// Some of those that moved with the run, or with a part of it: pairs tell whether the builds
  /// differ by that, which no single case shows once it is taken off.
  std::set<CaseKey> shifted;
  /// The baseline's side does not hold the code that was accepted: nothing but pairs judges them.
  std::set<CaseKey> unaccepted;
  std::set<CaseKey> all() const;
};

using MetricKey = std::pair<CaseKey, std::string>;

MetricKey metric_key(const Finding& finding);

/// What a run measured of each case × metric.
std::map<MetricKey, Estimate> estimates_of(const Run& run);

/// A number in [0, 1) that belongs to the case and the seed.
double draw(const CaseKey& key, std::uint64_t seed);

/// Of the cases that numbers decided. The audit follows from the seed; where nothing is flagged, at
/// least one case is audited.
Doubts cases_in_doubt(const Comparison& screened, const ScreenRule& rule, std::uint64_t seed);

/// Puts what the pairs say in place of what the screen said, and tells the environment from the
/// commit: `baseline_build` is the baseline's build as it was measured in the pairs. A change that
/// this build shows too, against its own accepted result, is the environment's; the reason says
/// so, unless that side is not what was accepted. Changes that pairs did not confirm stay visible
/// by `screened`.
void confirm(Comparison& screened, const Doubts& doubts, const PairedTrial& trial,
             const Run& baseline_build, const SideCode& code = {});

}  // namespace plumbline
