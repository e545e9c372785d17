/// The end of what a program printed.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

/// The last line that is not empty; "" if there is none.
inline std::string last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == text.npos) return "";
  text = text.substr(0, end + 1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace plumbline
