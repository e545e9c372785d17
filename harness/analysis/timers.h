/// What other timers read of the launches of a row, as results.csv has it: "name=seconds;…".
///
/// Knows no row and no metric.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace plumbline {

struct TimerReading {
  std::string_view name;  // a view into the text
  double seconds = 0;
};

/// The readings in the order of the text, none for an empty one; nothing where it is no such list.
std::optional<std::vector<TimerReading>> timers_of(std::string_view text);

}  // namespace plumbline
