/// Calls on names: of files and of folders.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "real.h"
#include "record.h"
#include "rules.h"

using namespace failing;

namespace {

int renamed(const char* function, int from_folder, const char* from, int to_folder, const char* to,
            unsigned flags) {
  const Path old_path = path_at(from_folder, from), new_path = path_at(to_folder, to);
  if (is_watched() && refused(Kind::rename, function, new_path.text)) return -1;
  const long done = syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  if (done == 0 && is_watched() && is_recorded(new_path.text))
    record_rename(old_path.text, new_path.text);
  return static_cast<int>(done);
}

int made(const char* function, int folder, const char* name, mode_t mode) {
  const Path path = path_at(folder, name);
  if (is_watched() && refused(Kind::mkdir, function, path.text)) return -1;
  const long done = syscall(SYS_mkdirat, folder, name, mode);
  if (done == 0 && is_watched() && is_recorded(path.text)) record_mkdir(path.text);
  return static_cast<int>(done);
}

int removed(const char* function, int folder, const char* name, int flags) {
  const Path path = path_at(folder, name);
  if (is_watched() && refused(Kind::unlink, function, path.text)) return -1;
  const long done = syscall(SYS_unlinkat, folder, name, flags);
  if (done == 0 && is_watched() && is_recorded(path.text))
    record_gone((flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink", path.text);
  return static_cast<int>(done);
}

int looked(const char* function, int folder, const char* name, struct stat* found, int flags) {
  if (is_watched() && refused(Kind::stat, function, path_at(folder, name).text)) return -1;
  return static_cast<int>(syscall(SYS_newfstatat, folder, name, found, flags));
}

}  // namespace

extern "C" {

int rename(const char* from, const char* to) noexcept {
  return renamed("rename", AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return renamed("renameat", from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  return renamed("renameat2", from_folder, from, to_folder, to, flags);
}

int mkdir(const char* path, mode_t mode) noexcept { return made("mkdir", AT_FDCWD, path, mode); }
int mkdirat(int folder, const char* name, mode_t mode) noexcept {
  return made("mkdirat", folder, name, mode);
}
char* mkdtemp(char* path) noexcept {
  if (is_watched() && refused(Kind::mkdir, "mkdtemp", path_at(AT_FDCWD, path).text)) return nullptr;
  return real<decltype(mkdtemp)>("mkdtemp")(path);
}

int unlink(const char* path) noexcept { return removed("unlink", AT_FDCWD, path, 0); }
int rmdir(const char* path) noexcept { return removed("rmdir", AT_FDCWD, path, AT_REMOVEDIR); }
int unlinkat(int folder, const char* name, int flags) noexcept {
  return removed("unlinkat", folder, name, flags);
}
int remove(const char* path) noexcept {
  struct stat found;
  const bool is_folder =
      syscall(SYS_newfstatat, AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISDIR(found.st_mode);
  return removed("remove", AT_FDCWD, path, is_folder ? AT_REMOVEDIR : 0);
}

int link(const char* from, const char* to) noexcept {
  if (is_watched() && refused(Kind::link, "link", path_at(AT_FDCWD, to).text)) return -1;
  return static_cast<int>(syscall(SYS_link, from, to));
}
int symlink(const char* from, const char* to) noexcept {
  if (is_watched() && refused(Kind::link, "symlink", path_at(AT_FDCWD, to).text)) return -1;
  return static_cast<int>(syscall(SYS_symlink, from, to));
}

int stat(const char* path, struct stat* found) noexcept {
  return looked("stat", AT_FDCWD, path, found, 0);
}
int stat64(const char* path, struct stat64* found) noexcept {
  return looked("stat", AT_FDCWD, path, reinterpret_cast<struct stat*>(found), 0);
}
int lstat(const char* path, struct stat* found) noexcept {
  return looked("lstat", AT_FDCWD, path, found, AT_SYMLINK_NOFOLLOW);
}
int lstat64(const char* path, struct stat64* found) noexcept {
  return looked("lstat", AT_FDCWD, path, reinterpret_cast<struct stat*>(found),
                AT_SYMLINK_NOFOLLOW);
}
int fstat(int file, struct stat* found) noexcept {
  return looked("fstat", file, "", found, AT_EMPTY_PATH);
}
int fstat64(int file, struct stat64* found) noexcept {
  return looked("fstat", file, "", reinterpret_cast<struct stat*>(found), AT_EMPTY_PATH);
}
int fstatat(int folder, const char* name, struct stat* found, int flags) noexcept {
  return looked("fstatat", folder, name, found, flags);
}
int access(const char* path, int mode) noexcept {
  if (is_watched() && refused(Kind::stat, "access", path_at(AT_FDCWD, path).text)) return -1;
  return static_cast<int>(syscall(SYS_faccessat, AT_FDCWD, path, mode));
}

DIR* opendir(const char* path) {
  if (is_watched() && refused(Kind::open, "opendir", path_at(AT_FDCWD, path).text)) return nullptr;
  return real<decltype(opendir)>("opendir")(path);
}
dirent* readdir(DIR* folder) {
  if (is_watched() && refused(Kind::read, "readdir", path_of(dirfd(folder)).text)) return nullptr;
  return real<decltype(readdir)>("readdir")(folder);
}
dirent64* readdir64(DIR* folder) { return reinterpret_cast<dirent64*>(readdir(folder)); }

}  // extern "C"
