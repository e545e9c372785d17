/// A temporary folder that the destructor removes.
#pragma once

#include <filesystem>
#include <string>

namespace plumbline {

class ScratchFolder {
 public:
  /// Throws Error if it cannot be made.
  ScratchFolder();
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace plumbline
