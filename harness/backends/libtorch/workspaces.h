/// Scratch memory that LibTorch keeps for cuBLAS after its first use.
#pragma once

namespace plumbline {

/// Releases it, so that the next launch allocates it again: its address belongs to the placement
/// and must not depend on the process's history. Does nothing before the first use.
void drop_workspaces();

}  // namespace plumbline
