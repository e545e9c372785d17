#include "analysis/confirm/planting.h"

#include <algorithm>
#include <random>

namespace plumbline {

std::vector<std::vector<std::size_t>> planting_groups(std::vector<std::size_t> cases,
                                                      std::size_t most, std::uint64_t seed) {
  constexpr std::size_t kGroups = 20;
  std::mt19937_64 random(seed);
  std::ranges::shuffle(cases, random);
  const std::size_t size = (cases.size() + kGroups - 1) / kGroups;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t at = 0; at < cases.size() && (at == 0 || at + size <= most); at += size) {
    const auto first = cases.begin() + std::ptrdiff_t(at);
    groups.emplace_back(first, cases.begin() + std::ptrdiff_t(std::min(at + size, cases.size())));
  }
  return groups;
}

}  // namespace plumbline
