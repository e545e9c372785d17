/// The workers and the device that a replay has on this machine.
///
/// Asks workers for their devices; runs nothing of a bundle.
#pragma once

#include <array>
#include <string>

#include "core/run/environment.h"
#include "workflow/setup/request.h"
#include "workflow/sides/side.h"

namespace plumbline {

/// The workers and devices of both sides on this machine.
struct Machine {
  std::array<std::string, 2> workers;  // paths
  std::array<std::string, 2> hashes;
  std::array<Environment, 2> environments;  // of the device
  std::string device;                       // its name, for --device
  std::string missing;                      // why there is none, in words
};

/// The device that was asked for, else the first that is like the recorded one, else any.
/// `recorded`: of the sides, as they were measured.
Machine machine_for(const RunRequest& run, const SidesOptions& sides,
                    const std::array<const Environment*, 2>& recorded);

}  // namespace plumbline
