/// Compiled kernels on disk, so that a run's processes compile each of them once.
///
/// The key of a file has everything that determines its content: source, included files, options,
/// architecture, NVRTC's version and build. Files are written completely or not at all; a damaged
/// file is compiled and written again. Files are never removed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/nvrtc/nvrtc.h"

namespace plumbline::nvrtc {

/// Compiles, or takes the result of an earlier call from `folder`, which it makes; "": always
/// compiles. Throws what Compiler::compile() throws. If the folder cannot be written, keeps
/// nothing.
Compiled compile_cached(const Compiler& compiler, const Job& job, const std::string& folder);

/// Files that the job's source may include, of its own folders, not CUDA's; nothing where that
/// cannot be told by reading (included_files.h), as where an option includes files.
std::optional<std::vector<std::string>> includes_of(const Compiler& compiler, const Job& job);

/// Where compile_cached() keeps the job; "" where its includes cannot be told and it keeps nothing.
std::string cache_path(const Compiler& compiler, const Job& job, const std::string& folder);

}  // namespace plumbline::nvrtc
