/// The program of the user that a command runs: the words after `--`.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"

namespace plumbline {

/// `example`: how the command is used, for the Error that it throws if no program is named.
inline std::vector<std::string> program_of(const std::vector<std::string>& command,
                                           const std::string& example) {
  const auto mark = std::ranges::find(command, "--");
  if (mark == command.end() || mark + 1 == command.end())
    throw Error("no program is named: " + example);
  return {mark + 1, command.end()};
}

}  // namespace plumbline
