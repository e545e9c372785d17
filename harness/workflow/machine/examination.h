/// What is installed on a machine, what is wrong with it, and what to do: the command `doctor`.
#pragma once

#include <string>
#include <vector>

#include "workflow/setup/request.h"

namespace plumbline {

/// One line of the examination.
struct Observation {
  enum class State { good, note, wrong };
  State state = State::good;
  std::string what, found;
  std::string advice;  // what to do; "" = nothing
};

/// Starts a worker on the device, unless that would disturb a run. Reports mistakes as
/// observations.
std::vector<Observation> examine_machine(const WorkerRequest& worker, const PlaceRequest& places);

}  // namespace plumbline
