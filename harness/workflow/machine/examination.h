/// What is installed on a machine, what is wrong with it, and what to do: what `doctor` shows.
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
  std::string advice;  // what to do; "" where nothing is
};

/// Starts a worker on the device as a run does, unless that would disturb one. What is wrong is
/// told in the observations.
std::vector<Observation> examine_machine(const WorkerRequest& worker, const PlaceRequest& places);

}  // namespace plumbline
