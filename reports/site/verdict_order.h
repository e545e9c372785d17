/// Which of several verdicts represents a commit or a case.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace plumbline {

inline constexpr std::array<std::string_view, 12> kWorstFirst{
    "BROKEN",       "SLOWER", "LOOKS_SLOWER", "MISSING", "NOT_JUDGED", "FASTER",
    "LOOKS_FASTER", "FIXED",  "UNRESOLVED",   "SAME",    "NEW",        "EXPECTED"};

/// The rank of a word of kVerdictNames, 0 for the worst; after all of them for other words.
inline std::size_t rank_of(std::string_view verdict) {
  return std::size_t(std::ranges::find(kWorstFirst, verdict) - kWorstFirst.begin());
}

}  // namespace plumbline
