/// How often the screen calls cases of earlier runs changed: how far a comparison with a history
/// can be trusted on this machine. Halves of runs, the other controls, share the difference between
/// runs; earlier runs do not. Reads no files.
#pragma once

#include "analysis/compare/comparison.h"
#include "analysis/history/history.h"

namespace plumbline {

/// Judges up to five of the latest earlier runs on the candidate's machine, each against at least
/// three runs before it. Times only.
void add_alarms_of_nights(const History& history, const DecisionRule& rule, SelfCheck& check);

}  // namespace plumbline
