/// The second stage of a verdict: which cases a comparison leaves in doubt, and their verdicts
/// after both builds were measured side by side (design, section 6.6).
///
/// The screen is lenient: a case that it misses is lost, but one that it flags is only measured
/// again. Sizes of changes come from the pairs alone: flagged changes were selected for being
/// large, and are smaller when measured again. Pure.
#pragma once

#include <array>
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
  /// This share of the other cases is measured too, at random: it shows what the screen misses.
  double audit_share = 0.01;
  std::size_t shift_cases = 3;  // this many cases of each reported shift
};

struct Doubts {
  std::set<CaseKey> flagged, audited;
  /// Some of the cases that moved with the run, or with a part of it. Pairs tell whether the builds
  /// differ by the shift: once it is removed, single cases no longer show it.
  std::set<CaseKey> shifted;
  /// The baseline's side does not contain the accepted code, so only pairs can judge these cases.
  std::set<CaseKey> unaccepted;
  std::set<CaseKey> all() const;
};

using MetricKey = std::pair<CaseKey, std::string>;

MetricKey metric_key(const Finding& finding);

/// The estimates of each case × metric of a run.
std::map<MetricKey, Estimate> estimates_of(const Run& run);

/// A random number in [0, 1), determined by the case and the seed.
double draw(const CaseKey& key, std::uint64_t seed);

/// Chooses among the cases that numbers decided. The seed determines the audited cases; if nothing
/// is flagged, at least one case is audited.
Doubts cases_in_doubt(const Comparison& screened, const ScreenRule& rule, std::uint64_t seed);

/// Replaces the screen's results by those of the pairs, and separates the environment from the
/// commit. `paired` are the baseline's and the candidate's builds as the pairs measured them. If
/// the baseline's shows a change against its own accepted result, the change comes from the
/// environment. The reason says so, unless that side is not what was accepted. Changes that pairs
/// did not confirm stay visible in `screened`.
void confirm(Comparison& screened, const Doubts& doubts, const PairedTrial& trial,
             const std::array<Run, 2>& paired, const SideCode& code = {});

}  // namespace plumbline
