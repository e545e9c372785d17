/// Pairs in several lives: those that were stopped are measured anew, in another folder.
#pragma once

#include <array>
#include <set>
#include <string>

#include "analysis/confirm/paired_comparison.h"
#include "simulation/run_lives.h"

namespace plumbline::simulation {

struct MeasuredInPairs {
  std::string folder;  // holds the runs a and b
  std::array<Run, 2> runs;
  PairedTrial trial;
};

/// Measures these cases in pairs as run_in_pairs() does, until a life ends well. Checks each life.
MeasuredInPairs measured_pairs(World& world, const std::set<CaseKey>& cases, Dice dice);

}  // namespace plumbline::simulation
