/// What commands know of a GPU's contexts from earlier ones, so that their first worker need not
/// search as long. In the cache: contexts/<UUID>-<driver>, seconds as text.
#pragma once

#include <memory>

#include "core/run/environment.h"
#include "schedule/fastest_chain.h"

namespace plumbline {

/// Begins with what the cache has, and keeps there what is learned. A file that has no positive
/// number counts as none. A cache that cannot be written costs later commands time, nothing else.
std::shared_ptr<FastestChain> fastest_chain_of(const Environment& device);

}  // namespace plumbline
