/// The command that goes on with an unfinished run.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// The command that the run was started with, with -o and --resume, quoted for a shell.
std::string resume_command(const std::vector<std::string>& command, const std::string& directory);

}  // namespace plumbline
