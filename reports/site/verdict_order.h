/// Which verdict of several a commit or a case is known by.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace plumbline {

inline constexpr std::array<std::string_view, 12> kWorstFirst{
    "BROKEN",       "SLOWER", "LOOKS_SLOWER", "MISSING", "NOT_JUDGED", "FASTER",
    "LOOKS_FASTER", "FIXED",  "UNRESOLVED",   "SAME",    "NEW",        "EXPECTED"};

/// Place of a word of kVerdictNames, 0 for the worst; behind all of them for another word.
inline std::size_t rank_of(std::string_view verdict) {
  return std::size_t(std::ranges::find(kWorstFirst, verdict) - kWorstFirst.begin());
}

}  // namespace plumbline
