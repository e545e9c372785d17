/// The files of a suite's own code that this process has read or loaded, each with the hash of its
/// bytes. The hashes tell two versions of a user's code apart.
///
/// Knows files and the loader, but no case and no compiler.
#pragma once

#include <string>
#include <vector>

#include "core/file_ref.h"

namespace plumbline {

/// The path without links, and the hash of the file's present content.
FileRef file_ref(const std::string& path);

/// A library that this process has loaded, and all libraries that it links, directly or indirectly.
/// Libraries that the program itself links (LibTorch, CUDA, the system's) are left out: run.json
/// has their versions. Returns the library alone if it is not loaded.
std::vector<FileRef> library_files(const std::string& path);

}  // namespace plumbline
