/// How many ranks compute a case together, each on a device of its own.
///
/// Knows no library: NCCL's ranks of a collective op, processes of a network.
#pragma once

#include <cstdint>
#include <variant>

#include "core/value.h"

namespace plumbline {

/// The parameter `ranks`; 1 for a case without it.
inline int ranks_of(const Params& params) {
  const auto found = params.find("ranks");
  if (found == params.end()) return 1;
  const auto* const number = std::get_if<std::int64_t>(&found->second);
  return number != nullptr ? static_cast<int>(*number) : 1;
}

}  // namespace plumbline
