/// The files of code that a suite brings, as this process has read or loaded them, each with the
/// hash of its bytes: what tells two versions of a user's code apart.
///
/// Knows files and the loader; no case and no compiler.
#pragma once

#include <string>
#include <vector>

#include "core/file_ref.h"

namespace plumbline {

/// Path without links, and the hash of what is in the file now.
FileRef file_ref(const std::string& path);

/// A library that this process has loaded, and all that it links, directly or through others. What
/// the program itself links (LibTorch, CUDA, the system's libraries) is left out: run.json has its
/// versions. Only the library where it is not loaded.
std::vector<FileRef> library_files(const std::string& path);

}  // namespace plumbline
