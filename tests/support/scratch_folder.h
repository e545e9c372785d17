/// A folder for the files of a program of the tests, in memory where the system has such a place.
/// Removed at the end; a program that was killed leaves its own, and the next one of the same name
/// removes it.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace plumbline {

/// The folder is locked as long as a process is there that has it open: the one that made it, and
/// its children. So a folder without a lock is nobody's.
class ScratchFolder {
 public:
  /// `name`: of the program. Throws std::runtime_error if no folder can be made.
  explicit ScratchFolder(const std::string& name) : prefix_("plumbline-" + name + '-') {
    remove_left_behind();
    while (!make()) continue;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    close(lock_);
  }

  const std::string& path() const { return path_; }

  /// The folder that the folders are in.
  static std::string parent() {
    return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm"
                                                : std::filesystem::temp_directory_path().string();
  }

 private:
  static int locked(const std::string& path) {
    const int opened = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0) return -1;
    if (flock(opened, LOCK_EX | LOCK_NB) == 0) return opened;
    close(opened);
    return -1;
  }

  void remove_left_behind() const {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(parent(), ignored)) {
      if (!entry.path().filename().string().starts_with(prefix_)) continue;
      const int lock = locked(entry.path());
      if (lock < 0) continue;  // at work, or of another user
      std::filesystem::remove_all(entry.path(), ignored);
      close(lock);
    }
  }

  /// False if another program took the new folder for one that was left behind.
  bool make() {
    path_ = parent() + '/' + prefix_ + "XXXXXX";
    if (mkdtemp(path_.data()) == nullptr)
      throw std::runtime_error(path_ + ": cannot make this folder");
    lock_ = locked(path_);
    struct stat now {};
    if (lock_ >= 0 && stat(path_.c_str(), &now) == 0) return true;
    if (lock_ >= 0) close(lock_);
    return false;
  }

  std::string prefix_, path_;
  int lock_ = -1;
};

}  // namespace plumbline
