/// The few file operations of the worker, through POSIX.
///
/// std::filesystem is not used: libtorch.so exports its own copy, built with another compiler's
/// library. Programs that link libtorch.so get that copy, and its remove_all() crashes.
#pragma once

#include <string>

namespace plumbline {

/// Everything before the last '/'; "." if there is none.
std::string folder_of(const std::string& path);

bool is_file(const std::string& path);
bool is_folder(const std::string& path);

/// Absolute, without links, '.' and '..'; unchanged if nothing exists at the path.
std::string real_path(const std::string& path);

/// The real_path() of the library that contains a symbol; "./unknown" if there is none.
std::string library_of(const void* symbol);

/// The bytes of a file; "" if it cannot be read.
std::string read_file(const std::string& path);

/// Makes the folder and its parents. Returns false if that fails.
bool make_folder(const std::string& path);

/// Writes a file completely or not at all, through a temporary file beside it. Returns false if
/// that fails.
bool write_whole(const std::string& path, const std::string& bytes);

}  // namespace plumbline
