/// Numbers, durations and commands as people read them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// "40 s", "3 min", "1 h 20 min".
std::string duration_in_words(double seconds);

/// "1 case", "3 cases".
std::string counted(std::size_t count, std::string_view noun);

/// A command as a shell takes it.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace plumbline
