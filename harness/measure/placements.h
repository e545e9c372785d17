/// Which placement a block measures at.
#pragma once

#include <cstdint>

#include "core/run/policy.h"

namespace plumbline {

/// A fresh one for each block, but every `revisit`-th block is at that of a few blocks before: what
/// differs between two visits of one placement is not the placement's.
inline std::int64_t placement_of(std::int64_t block, const Policy& policy) {
  constexpr std::int64_t kBlocksBefore = 4;
  const bool is_revisit =
      policy.revisit > 0 && block >= kBlocksBefore && block % policy.revisit == policy.revisit - 1;
  return is_revisit ? block - kBlocksBefore : block;
}

}  // namespace plumbline
