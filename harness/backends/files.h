/// The few things that the worker does with files, by POSIX.
///
/// Not by std::filesystem: libtorch.so exports one of its own, of another compiler's library, and
/// programs that link it get that one; its remove_all() crashes.
#pragma once

#include <string>

namespace plumbline {

/// Everything before the last '/'; "." where there is none.
std::string folder_of(const std::string& path);

bool is_file(const std::string& path);
bool is_folder(const std::string& path);

/// Absolute and without links, '.' and '..'; as it is where nothing is there.
std::string real_path(const std::string& path);

/// The library that holds a symbol, as real_path() has it; "./unknown" where there is none.
std::string library_of(const void* symbol);

/// The bytes of a file; "" where it cannot be read.
std::string read_file(const std::string& path);

/// Makes the folder and those above it. False where that fails.
bool make_folder(const std::string& path);

/// Writes a file whole or not at all, by way of another one beside it. False where that fails.
bool write_whole(const std::string& path, const std::string& bytes);

}  // namespace plumbline
