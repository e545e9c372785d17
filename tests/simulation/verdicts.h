/// Verdicts of simulated runs: what was planted is found, and nothing else.
#pragma once

#include "analysis/confirm/confirm.h"
#include "simulation/run_lives.h"

namespace plumbline::simulation {

/// How sure a comparison must be.
enum class Certainty {
  screened,  // two runs alone: a change looks slower or faster
  paired,    // SLOWER or FASTER for each planted change
};

/// Throws Violation for a verdict that the truth does not support, and for a planted change that
/// was not found although the runs suffice for it.
void check_verdicts(const World& world, const Comparison& comparison, Certainty certainty);

/// Compares the two runs, as `compare` does. Measures the cases in doubt in pairs if there are any
/// and `in_pairs`. Checks all verdicts.
void compare_sides(World& world, const Run& baseline, const Run& candidate, bool in_pairs,
                   Dice dice);

/// Measures all cases in pairs, as `ab` does, and checks the verdicts.
void compare_in_pairs(World& world, Dice dice);

}  // namespace plumbline::simulation
