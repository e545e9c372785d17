/// How often a process falls into the slower of two modes, and whether that changed.
///
/// Some cases have two modes of processes (where memory lands, which algorithm a library picks):
/// their visits lie at one of two levels. The unit is the visit. Levels are told from all visits
/// together, without regard to which run is which, and shares are compared by Fisher's exact test.
/// Two levels are modes only where single runs hold visits of both: a case that got slower on some
/// day has two levels too. Three visits of a run cannot show a change of shares: of 3 and 3 no
/// outcome has p < 0.1. Pure numbers; knows no case.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/judge.h"
#include "analysis/estimate/distribution_change.h"

namespace plumbline {

/// Logarithms of the visits of one run.
using RunVisitLogs = std::vector<double>;

/// Fewer visits are not looked at.
inline constexpr std::size_t kVisitsForModes = 12;

std::size_t visits_in(std::span<const RunVisitLogs> runs);

struct TwoModes {
  double limit = 0;  // log: visits above it are in the slower mode
  double gap = 0;    // log, between the medians of both
};

/// The split into two that explains most (Otsu 1979), if it parts modes: their medians are
/// `least_gap` (log) apart and six standard deviations within a mode, each holds a twentieth of the
/// visits, and two visits at least lie in the other mode than most of their own run do. Nothing of
/// fewer than kVisitsForModes visits.
std::optional<TwoModes> two_modes(std::span<const RunVisitLogs> runs, double least_gap);

struct ModeCounts {
  std::size_t slow = 0, visits = 0;
  double share() const { return visits == 0 ? 0 : double(slow) / double(visits); }
};

ModeCounts counts_in(const TwoModes& modes, std::span<const RunVisitLogs> runs);

/// Where along a series of runs the shares changed most.
struct ModeChange {
  TwoModes modes;
  ModeCounts before, now;
  std::size_t at = 0;  // the first run that counts as `now`; 0: all runs are alike
  double p_value = 1;  // times the number of places that were looked at (Bonferroni)
};

/// Of a case over its runs, in the order of time; nothing where it has no two modes. Each side of a
/// place holds kVisitsForModes at least.
std::optional<ModeChange> mode_change(std::span<const RunVisitLogs> runs, double least_gap);

struct ModeTrial {
  std::size_t finding = 0;  // index of the Finding that it stands beside
  TwoModes modes;
  ModeCounts before, now;
};
/// The last of the runs against the ones before it. Nothing where the case has no two modes.
std::optional<ModeTrial> mode_trial(std::span<const RunVisitLogs> runs, double least_gap,
                                    std::size_t finding);

/// Whether any outcome of as many visits of the last run would pass one test at `rate`.
bool could_show_change(const ModeTrial& trial, double rate);

/// Trials whose share changed, as a family (Benjamini & Hochberg) at the rule's rate.
std::vector<DistributionChange> mode_changes(const std::vector<ModeTrial>& trials,
                                             const DecisionRule& rule,
                                             const std::vector<Finding>& findings);

}  // namespace plumbline
