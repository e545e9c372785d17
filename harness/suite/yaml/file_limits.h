/// Which files a suite may name: in a sandbox, only those that its code sees.
///
/// Plumbline reads what suites name outside of the sandbox, and its messages may quote it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "suite/yaml/yaml.h"

namespace plumbline {

struct FileLimits {
  std::vector<std::string> roots;   // canonical paths that files must be, or be in
  std::vector<std::string> hidden;  // canonical folders within these that do not count
};

/// True if an absolute path is the folder or is in it. Both as text.
bool is_path_in(const std::filesystem::path& path, const std::filesystem::path& folder);

/// True if the path, with its links followed, lies within the limits. The file need not exist.
bool allows(const FileLimits& limits, const std::filesystem::path& path);

/// Why this file may not name that one, in words; "" if it may.
std::string naming_mistake(const YamlFile& file, const std::filesystem::path& path);

}  // namespace plumbline
