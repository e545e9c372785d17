#include "schedule/device_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "core/error.h"
#include "core/uninterrupted.h"

namespace plumbline {
namespace {

std::string path_of(const std::string& uuid, const std::string& folder) {
  std::string name;
  for (const char c : uuid) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return folder + "/" + name + ".lock";
}

[[noreturn]] void fail(const std::string& path, const char* action) {
  throw Error("cannot " + std::string(action) + " '" + path + "': " + std::strerror(errno) +
              "; set PLUMBLINE_LOCKS to a folder that all users of this device can write");
}

/// Opens the file so that everybody can read and write it. In a shared folder the kernel refuses
/// O_CREAT for another user's file, so it is only used if there is no file.
Descriptor opened(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  const auto open_with = [&](int flags) {
    return Descriptor(uninterrupted([&] { return open(path.c_str(), flags, 0666); }));
  };
  Descriptor file = open_with(kFlags);
  if (file.get() < 0 && errno == ENOENT) {
    file = open_with(kFlags | O_CREAT);
    if (file.get() >= 0) fchmod(file.get(), 0666);  // whatever the umask
  }
  return file;
}

/// A lock of the open file (not of the process): it can be queried without being taken.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// What the holder wrote, or a default text if it has not written yet.
std::string holder_in(int file) {
  char text[4096];
  const ssize_t got = uninterrupted([&] { return pread(file, text, sizeof text, 0); });
  if (got <= 0) return "a process that has only just begun";
  return {text, static_cast<std::size_t>(got)};
}

}  // namespace

std::string lock_folder() {
  const char* const set = std::getenv("PLUMBLINE_LOCKS");
  return set && *set ? set : "/tmp/plumbline-locks";
}

DeviceLock::DeviceLock(const std::string& device_uuid, const std::string& holder,
                       const std::string& folder)
    : path_(path_of(device_uuid, folder)) {
  if (mkdir(folder.c_str(), 0777) == 0)
    chmod(folder.c_str(), 01777);  // whatever the umask
  else if (errno != EEXIST)
    fail(folder, "make the folder of locks");
  file_ = opened(path_);
  if (file_.get() < 0) fail(path_, "open the lock");
  struct flock whole = whole_file();
  if (uninterrupted([&] { return fcntl(file_.get(), F_OFD_SETLK, &whole); }) != 0) {
    if (errno != EAGAIN && errno != EACCES) fail(path_, "take the lock");
    throw Error("device " + device_uuid + " is in use by " + holder_in(file_.get()) +
                "; wait for it, or choose another with --device");
  }
  // The text is for people; the lock holds without it.
  (void)!ftruncate(file_.get(), 0);
  (void)!pwrite(file_.get(), holder.data(), holder.size(), 0);
}

std::optional<std::string> lock_holder(const std::string& device_uuid, const std::string& folder) {
  const Descriptor file(open(path_of(device_uuid, folder).c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return std::nullopt;
  struct flock found = whole_file();
  if (fcntl(file.get(), F_OFD_GETLK, &found) != 0 || found.l_type == F_UNLCK) return std::nullopt;
  return holder_in(file.get());
}

}  // namespace plumbline
