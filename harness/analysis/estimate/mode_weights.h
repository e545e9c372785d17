/// How often a process is in the slower of two modes, and whether that changed.
///
/// Some cases have two modes of processes (where memory lands, which algorithm a library picks):
/// their visits lie at one of two levels. The unit is the visit. Levels are found from all visits
/// together, regardless of the run; shares are compared by Fisher's exact test. Two levels are
/// modes only if single runs have visits of both: a case that got slower at some point has two
/// levels too. Three visits of a run cannot show a change of shares: with 3 and 3, no outcome has p
/// < 0.1. Pure numbers; does not know cases.
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

/// With fewer visits, modes are not searched for.
inline constexpr std::size_t kVisitsForModes = 12;

std::size_t visits_in(std::span<const RunVisitLogs> runs);

struct TwoModes {
  double limit = 0;  // log: visits above it are in the slower mode
  double gap = 0;    // log, between the medians of both
};

/// Splits visits into two groups that explain most of the variance (Otsu 1979). They are modes if:
/// their medians differ by `least_gap` (log) and by six standard deviations within a mode; each
/// holds a twentieth of the visits; and at least two visits lie in another mode than most of their
/// run. Nothing with fewer than kVisitsForModes visits.
std::optional<TwoModes> two_modes(std::span<const RunVisitLogs> runs, double least_gap);

struct ModeCounts {
  std::size_t slow = 0, visits = 0;
  double share() const { return visits == 0 ? 0 : double(slow) / double(visits); }
};

ModeCounts counts_in(const TwoModes& modes, std::span<const RunVisitLogs> runs);

/// The place in a series of runs where the shares changed most.
struct ModeChange {
  TwoModes modes;
  ModeCounts before, now;
  std::size_t at = 0;  // the first run of `now`; 0: all runs are alike
  double p_value = 1;  // multiplied by the number of places tried (Bonferroni)
};

/// The mode change of a case over its runs, in order of time; nothing if it does not have two
/// modes. Each side of a place has at least kVisitsForModes visits.
std::optional<ModeChange> mode_change(std::span<const RunVisitLogs> runs, double least_gap);

struct ModeTrial {
  std::size_t finding = 0;  // index of the Finding that it belongs to
  TwoModes modes;
  ModeCounts before, now;
};
/// The last run against those before it. Nothing if the case does not have two modes.
std::optional<ModeTrial> mode_trial(std::span<const RunVisitLogs> runs, double least_gap,
                                    std::size_t finding);

/// True if some outcome of the last run's visits would pass a single test at `rate`.
bool could_show_change(const ModeTrial& trial, double rate);

/// Trials whose share changed, tested as a family (Benjamini & Hochberg) at the rule's rate.
std::vector<DistributionChange> mode_changes(const std::vector<ModeTrial>& trials,
                                             const DecisionRule& rule,
                                             const std::vector<Finding>& findings);

}  // namespace plumbline
