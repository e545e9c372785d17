/// Sentences on a fleet, for the terminal, the page and the reasons of rules.
///
/// Knows no output.
#pragma once

#include <string>
#include <vector>

#include "analysis/fleet/fleet.h"

namespace plumbline {

/// "+6.1 %" of a logarithm; an en dash if unknown.
std::string deviation_text(double log);

/// "p < 1e-6", "p = 0.004".
std::string p_text(double p);

/// "since 2026-11-20, 5 of 9 nights; before +0.1 %"; "" for a cell that is not outside.
std::string since_text(const FleetCell& cell);

/// The cells of a unit that are outside: all families together first, then the furthest off. At
/// most `most` of them.
std::vector<std::size_t> cells_outside(const FleetUnit& unit, std::size_t most);

/// "and 18 more families" if more cells than `most` are outside; else "".
std::string more_outside_text(const FleetUnit& unit, std::size_t most);

/// The answer in one sentence: how many devices and nodes are outside.
std::string fleet_sentence(const Fleet& fleet);

/// What to know of the numbers: the bound on false outliers, what could be seen, kinds, classes
/// that were not judged, what was not recorded.
std::vector<std::string> fleet_remarks(const Fleet& fleet);

/// Units that are outside, furthest first, nodes before their devices; then those that a person
/// should see: stale ones, ones with failures.
std::vector<std::size_t> outside_first(const Fleet& fleet);

}  // namespace plumbline
