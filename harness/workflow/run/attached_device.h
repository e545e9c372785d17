/// The device, driver and host on which an attached program ran, as a run records them.
///
/// A worker knows most, if one is installed. Else there is what CUPTI and the kernel tell.
#pragma once

#include <string>
#include <vector>

#include "core/run/environment.h"
#include "import/attached/records.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

/// UUIDs of the devices on which something ran, in the order of their numbers.
std::vector<std::string> devices_in(const std::vector<AttachedProcess>& processes);

/// What the worker says of its own libraries and compilers is left out: the program has its own.
/// Notes where the description is only CUPTI's. Throws Error if a named worker does not exist.
Environment environment_of(const std::vector<AttachedProcess>& processes,
                           const WorkerRequest& worker, const std::string& project_worker,
                           Talk& talk);

}  // namespace plumbline
