/// Folders as lists.
///
/// Knows no run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace plumbline {

/// What is in a folder, in any order; nothing if there is no such folder. Throws Error if it cannot
/// be read: an unreadable folder is no empty one.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// True for a folder that this user may not enter, such as `lost+found`: whether a run lies in it
/// is unknown.
bool is_closed(const std::filesystem::path& folder);

}  // namespace plumbline
