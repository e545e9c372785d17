/// Whether a device is the same after a worker's cases as before them.
#pragma once

#include <string>

#include "core/run/result.h"

namespace plumbline {

/// A sentence for each sentinel (a fixed piece of work, in seconds, with a name that ends with
/// "_s") whose time changed by more than 5 % while the worker measured; "" if none did. On healthy
/// H100s and H200s they change by at most 1.5 % (the workers of the accepted baselines).
std::string note_of_drift(const WorkerRecord& worker);

}  // namespace plumbline
