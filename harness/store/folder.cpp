#include "store/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/error.h"

namespace plumbline {

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::vector<fs::path> entries;
  std::error_code problem;
  fs::directory_iterator entry(folder, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem))
    entries.push_back(entry->path());
  if (problem && problem != std::errc::no_such_file_or_directory)
    throw Error(folder.string() + ": cannot be listed: " + problem.message());
  return entries;
}

bool is_closed(const std::filesystem::path& folder) {
  return ::faccessat(AT_FDCWD, folder.c_str(), X_OK, AT_EACCESS) != 0 && errno == EACCES;
}

}  // namespace plumbline
