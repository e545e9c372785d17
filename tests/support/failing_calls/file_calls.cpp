/// Calls on the content of files.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "real.h"
#include "record.h"
#include "rules.h"

using namespace failing;

namespace {

/// Opens a file, as all functions that open one do.
long opened(const char* function, int folder, const char* name, int flags, mode_t mode) {
  if (!is_watched()) return syscall(SYS_openat, folder, name, flags, mode);
  const Path path = path_at(folder, name);
  const bool is_written = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
  if ((flags & O_DIRECTORY) != 0) function = "opendir";
  if (refused(is_written ? Kind::create : Kind::open, function, path.text)) return -1;
  const bool is_kept = is_written && is_recorded(path.text);
  const bool is_new = is_kept && syscall(SYS_faccessat, AT_FDCWD, path.text, F_OK) != 0;
  const long file = syscall(SYS_openat, folder, name, flags, mode);
  if (file < 0 || !is_kept) return file;
  const int error = errno;
  if (is_new)
    record_create(path.text);
  else if ((flags & O_TRUNC) != 0)
    record_truncate(static_cast<int>(file), 0);
  errno = error;
  return file;
}

/// How many of `count` bytes are to be read or written: less, or -1 to fail.
ssize_t allowed(Kind kind, const char* function, int file, std::size_t count) {
  if (!is_watched() || (kind == Kind::write && file == STDERR_FILENO))
    return static_cast<ssize_t>(count);
  const Path path = path_of(file);
  if (*path.text != '/') kind = kind == Kind::write ? Kind::send : Kind::receive;
  const int fate = fate_of(kind, function, path.text);
  if (fate > 0) errno = fate;
  if (fate > 0) return -1;
  return static_cast<ssize_t>(fate == kShort ? (count + 1) / 2 : count);
}

ssize_t written(const char* function, int file, const void* bytes, std::size_t count,
                off_t offset) {
  const ssize_t now = allowed(Kind::write, function, file, count);
  if (now < 0) return -1;
  const ssize_t done = offset < 0 ? syscall(SYS_write, file, bytes, now)
                                  : syscall(SYS_pwrite64, file, bytes, now, offset);
  if (done > 0 && is_watched() && is_recorded(path_of(file).text))
    record_write(file, bytes, static_cast<std::size_t>(done), offset);
  return done;
}

ssize_t got(const char* function, int file, void* into, std::size_t count, off_t offset) {
  const ssize_t now = allowed(Kind::read, function, file, count);
  if (now < 0) return -1;
  return offset < 0 ? syscall(SYS_read, file, into, now)
                    : syscall(SYS_pread64, file, into, now, offset);
}

int synced(const char* function, long number, int file) {
  if (!is_watched()) return static_cast<int>(syscall(number, file));
  const Path path = path_of(file);
  if (refused(Kind::sync, function, path.text)) return -1;
  const long done = syscall(number, file);
  if (done == 0 && is_recorded(path.text)) record_sync(file);
  return static_cast<int>(done);
}

mode_t mode_in(int flags, va_list words) {
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(words, mode_t) : 0;
}

}  // namespace

#define OPENS(name, folder_parameter, folder)                           \
  int name(folder_parameter const char* path, int flags, ...) {         \
    va_list words;                                                      \
    va_start(words, flags);                                             \
    const mode_t mode = mode_in(flags, words);                          \
    va_end(words);                                                      \
    return static_cast<int>(opened("open", folder, path, flags, mode)); \
  }
#define NOTHING
#define FOLDER int folder,

extern "C" {

OPENS(open, NOTHING, AT_FDCWD)
OPENS(open64, NOTHING, AT_FDCWD)
OPENS(openat, FOLDER, folder)
OPENS(openat64, FOLDER, folder)

int __open_2(const char* path, int flags) {
  return static_cast<int>(opened("open", AT_FDCWD, path, flags, 0));
}
int __open64_2(const char* path, int flags) { return __open_2(path, flags); }

int creat(const char* path, mode_t mode) {
  return static_cast<int>(opened("creat", AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode));
}

FILE* fopen(const char* path, const char* mode) {
  const bool reads = *mode == 'r', updates = strchr(mode, '+') != nullptr;
  const int access = updates ? O_RDWR : reads ? O_RDONLY : O_WRONLY;
  const int creates = reads ? 0 : O_CREAT | (*mode == 'a' ? O_APPEND : O_TRUNC);
  const long file = opened("fopen", AT_FDCWD, path, access | creates | O_CLOEXEC, 0666);
  return file < 0 ? nullptr : fdopen(static_cast<int>(file), mode);
}
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }

ssize_t write(int file, const void* bytes, std::size_t count) {
  return written("write", file, bytes, count, -1);
}
ssize_t pwrite(int file, const void* bytes, std::size_t count, off_t offset) {
  return written("pwrite", file, bytes, count, offset);
}
ssize_t pwrite64(int file, const void* bytes, std::size_t count, off_t offset) {
  return written("pwrite", file, bytes, count, offset);
}

/// Writes the first part that is not empty: a caller of writev has to expect that.
ssize_t writev(int file, const iovec* parts, int count) {
  for (int i = 0; i < count; ++i)
    if (parts[i].iov_len > 0 || i + 1 == count)
      return written("writev", file, parts[i].iov_base, parts[i].iov_len, -1);
  return 0;
}

ssize_t sendfile(int to, int from, off_t* offset, std::size_t count) {
  const ssize_t now = allowed(Kind::write, "sendfile", to, count);
  return now < 0 ? -1 : syscall(SYS_sendfile, to, from, offset, now);
}
ssize_t sendfile64(int to, int from, off_t* offset, std::size_t count) {
  return sendfile(to, from, offset, count);
}

ssize_t read(int file, void* into, std::size_t count) { return got("read", file, into, count, -1); }
ssize_t pread(int file, void* into, std::size_t count, off_t offset) {
  return got("pread", file, into, count, offset);
}
ssize_t pread64(int file, void* into, std::size_t count, off_t offset) {
  return got("pread", file, into, count, offset);
}
ssize_t __read_chk(int file, void* into, std::size_t count, std::size_t) {
  return got("read", file, into, count, -1);
}

/// The file is closed all the same, as Linux does.
int close(int file) {
  const bool fails =
      is_watched() && file > STDERR_FILENO && refused(Kind::close, "close", path_of(file).text);
  const int error = errno;
  const long done = syscall(SYS_close, file);
  if (!fails) return static_cast<int>(done);
  errno = error;
  return -1;
}

int fsync(int file) { return synced("fsync", SYS_fsync, file); }
int fdatasync(int file) { return synced("fdatasync", SYS_fdatasync, file); }
int syncfs(int file) noexcept { return synced("syncfs", SYS_syncfs, file); }

int ftruncate(int file, off_t bytes) noexcept {
  if (!is_watched()) return static_cast<int>(syscall(SYS_ftruncate, file, bytes));
  const Path path = path_of(file);
  if (refused(Kind::truncate, "ftruncate", path.text)) return -1;
  const long done = syscall(SYS_ftruncate, file, bytes);
  if (done == 0 && is_recorded(path.text)) record_truncate(file, bytes);
  return static_cast<int>(done);
}
int ftruncate64(int file, off_t bytes) noexcept { return ftruncate(file, bytes); }

}  // extern "C"
