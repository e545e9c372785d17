/// Scratch memory that LibTorch keeps for cuBLAS from its first use on.
#pragma once

namespace plumbline {

/// Lets go of it, so that the next launch asks for it anew: where it lies is part of a placement,
/// not an accident of the process. Does nothing before the first use.
void drop_workspaces();

}  // namespace plumbline
