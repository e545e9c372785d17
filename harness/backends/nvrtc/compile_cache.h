/// Compiled kernels on disk, so that a run's processes compile each of them once.
///
/// A file is found by all that its content follows from: source, included files, options,
/// architecture, NVRTC's version and build. Files are written whole or not at all; one that is
/// damaged is compiled and written anew. Nothing is ever removed.
#pragma once

#include <string>

#include "backends/nvrtc/nvrtc.h"

namespace plumbline::nvrtc {

/// Compiles, or takes what an earlier call has left in `folder`, which is made; "" = compiles.
/// Throws what Compiler::compile() throws. A folder that cannot be written keeps nothing.
Compiled compile_cached(const Compiler& compiler, const Job& job, const std::string& folder);

/// Where compile_cached() keeps the job; "" where its includes cannot be told and it keeps nothing.
std::string cache_path(const Compiler& compiler, const Job& job, const std::string& folder);

}  // namespace plumbline::nvrtc
