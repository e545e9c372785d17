/// How often the screen calls cases of earlier runs changed: what a comparison with a history is
/// worth on this very machine. Controls that are halves of runs share what runs differ by; these do
/// not. Reads no files.
#pragma once

#include "analysis/compare/comparison.h"
#include "analysis/history/history.h"

namespace plumbline {

/// Judges the latest earlier runs on the candidate's machine, five at most, each against those
/// before it, of which there must be three. Times alone.
void add_alarms_of_nights(const History& history, const DecisionRule& rule, SelfCheck& check);

}  // namespace plumbline
