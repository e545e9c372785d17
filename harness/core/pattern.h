/// Patterns of names: `*` stands for any characters, `?` for one.
#pragma once

#include <string_view>

namespace plumbline {

inline bool is_pattern(std::string_view text) {
  return text.find_first_of("*?") != std::string_view::npos;
}

/// Whether the whole text matches. Linear time for one `*`, at worst length × length.
inline bool matches_pattern(std::string_view text, std::string_view pattern) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t t = 0, p = 0, star = kNone, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != kNone) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace plumbline
