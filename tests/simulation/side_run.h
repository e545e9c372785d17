/// A side of a comparison: its shards in several lives, merged into one run, also in several lives.
#pragma once

#include "core/run/run.h"
#include "simulation/run_lives.h"

namespace plumbline::simulation {

/// Measures all cases of the scenario on one side, until there is one finished run. Returns it as
/// it is read.
Run measured_side(World& world, SideNumber side, Dice dice);

}  // namespace plumbline::simulation
