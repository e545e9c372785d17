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

/// "3.40e8", "4.94e-315".
std::string power_of_ten_text(double value);

/// The size of a percentage: "3.9", "1 234"; from 10 000 on as a power of ten, since nobody reads
/// "336 140 986 %". Every percentage is formatted here, so that a figure is the same everywhere.
std::string percent_digits(double percent, int decimals);

/// A command with the words quoted for a shell.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace plumbline
