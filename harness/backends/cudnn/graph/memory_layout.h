/// Where the elements of a tensor lie in memory, from its sizes and strides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace plumbline::cudnn {

/// A dimension of a tensor in memory.
struct Extent {
  std::int64_t size, stride;
};

/// Whether the tensor has or reaches more than 2^48 elements, which is more than any memory has.
inline bool is_beyond_memory(const std::vector<Extent>& extents) {
  constexpr std::int64_t kMost = std::int64_t{1} << 48;
  std::int64_t elements = 1, reach = 0;
  for (const auto& [size, stride] : extents) {
    if (size < 1) return false;
    if (elements > kMost / size || (stride > 0 && size - 1 > (kMost - reach) / stride)) return true;
    elements *= size;
    reach += (size - 1) * stride;
  }
  return false;
}

/// Whether steps within the sizes, not all of them 0, lead back to the start. `sum`: the offset of
/// the steps so far. Strides are in falling order, so only few steps are tried: those that the
/// remaining dimensions can undo.
inline bool meets_itself(std::span<const Extent> extents, std::int64_t sum, bool has_moved,
                         std::int64_t& tries) {
  if (extents.empty()) return has_moved && sum == 0;
  const auto [size, stride] = extents.front();
  const std::span<const Extent> others = extents.subspan(1);
  std::int64_t reach = 0;
  for (const Extent& other : others) reach += (other.size - 1) * other.stride;
  const std::int64_t first = std::max(1 - size, -(sum + reach) / stride - 1);
  const std::int64_t last = std::min(size - 1, (reach - sum) / stride + 1);
  for (std::int64_t steps = first; steps <= last && --tries > 0; ++steps) {
    const std::int64_t led_to = sum + steps * stride;
    if (std::abs(led_to) <= reach && meets_itself(others, led_to, has_moved || steps != 0, tries))
      return true;
  }
  return false;
}

/// Whether two elements have the same address. Needs !is_beyond_memory().
inline bool has_an_address_twice(std::vector<Extent> extents) {
  constexpr std::int64_t kMostTries = 100'000;  // far more than real shapes need
  std::erase_if(extents, [](const Extent& extent) { return extent.size <= 1; });
  std::ranges::sort(extents, std::greater{}, &Extent::stride);
  if (!extents.empty() && extents.back().stride < 1) return true;
  std::int64_t tries = kMostTries;
  return meets_itself(extents, 0, false, tries);
}

}  // namespace plumbline::cudnn
