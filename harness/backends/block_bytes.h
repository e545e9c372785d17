/// The size of a block, for references that divide their problem otherwise than by
/// reference_blocks.h.
#pragma once

#include <cstdint>

namespace plumbline {

/// kBlockBytes, or what the present BlockLimit says.
std::int64_t block_bytes();

}  // namespace plumbline
