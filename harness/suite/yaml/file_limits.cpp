#include "suite/yaml/file_limits.h"

#include <algorithm>

namespace plumbline {

namespace fs = std::filesystem;

bool is_path_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

bool allows(const FileLimits& limits, const fs::path& path) {
  std::error_code problem;
  const fs::path place = fs::weakly_canonical(path, problem);
  if (problem) return false;  // such as a circle of links
  const auto holds = [&](const std::string& folder) { return is_path_in(place, folder); };
  return std::ranges::any_of(limits.roots, holds) && std::ranges::none_of(limits.hidden, holds);
}

std::string naming_mistake(const YamlFile& file, const fs::path& path) {
  if (!file.limits) return "";
  // Readers drop `..` as text in some places, and follow links first in others.
  const fs::path plain = fs::absolute(path).lexically_normal();
  const bool is_allowed = allows(*file.limits, path);
  if (is_allowed && allows(*file.limits, plain)) return "";
  std::error_code none;
  return "the path leads to '" + fs::weakly_canonical(is_allowed ? plain : path, none).string() +
         "', which code in the sandbox does not see; a suite of others names files of its own "
         "tree: "
         "move the file there, or trust it with --sandbox-read";
}

}  // namespace plumbline
