/// Which placement a block uses.
#pragma once

#include <cstdint>

#include "core/run/policy.h"

namespace plumbline {

/// Each block has a new placement, except that every `revisit`-th one repeats that of an earlier
/// block. Differences between two blocks at one placement do not come from the placement.
inline std::int64_t placement_of(std::int64_t block, const Policy& policy) {
  constexpr std::int64_t kBlocksBefore = 4;
  const bool is_revisit =
      policy.revisit > 0 && block >= kBlocksBefore && block % policy.revisit == policy.revisit - 1;
  return is_revisit ? block - kBlocksBefore : block;
}

}  // namespace plumbline
