#include "analysis/timers.h"

#include <algorithm>
#include <charconv>

namespace plumbline {

std::optional<std::vector<TimerReading>> timers_of(std::string_view text) {
  std::vector<TimerReading> readings;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(';'));
    const std::size_t equals = entry.find('=');
    if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
    TimerReading reading{entry.substr(0, equals)};
    const char* const end = entry.data() + entry.size();
    const auto parsed = std::from_chars(entry.data() + equals + 1, end, reading.seconds);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    readings.push_back(reading);
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
  }
  return readings;
}

}  // namespace plumbline
