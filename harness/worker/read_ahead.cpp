#include "worker/read_ahead.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Smaller files are read completely on the first access.
constexpr std::uintmax_t kLarge_bytes = std::uintmax_t{16} << 20;
/// cuDNN loads the other libraries of its family when it needs them.
constexpr const char* kCudnn = "libcudnn";

int add_path(dl_phdr_info* library, std::size_t, void* paths) {
  static_cast<std::vector<fs::path>*>(paths)->emplace_back(library->dlpi_name);
  return 0;
}

std::vector<fs::path> libraries() {
  std::vector<fs::path> paths;
  dl_iterate_phdr(add_path, &paths);
  const std::size_t loaded = paths.size();
  std::error_code ignored;
  for (std::size_t i = 0; i < loaded; ++i)
    if (paths[i].filename().string().starts_with(kCudnn))
      for (const auto& beside : fs::directory_iterator(paths[i].parent_path(), ignored))
        if (beside.path().filename().string().starts_with(kCudnn)) paths.push_back(beside.path());
  std::erase_if(paths, [&](const fs::path& path) {
    const std::uintmax_t bytes = fs::file_size(path, ignored);
    return ignored || bytes < kLarge_bytes;
  });
  return paths;
}

void read_ahead(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  posix_fadvise(file, 0, 0, POSIX_FADV_WILLNEED);
  close(file);
}

}  // namespace

void read_libraries_ahead() {
  std::thread([paths = libraries()] {
    for (const fs::path& path : paths) read_ahead(path);
  }).detach();
}

}  // namespace plumbline
