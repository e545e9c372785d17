#include "record.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rules.h"

namespace failing {
namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int record() {
  static const int file = own_file("FAILING_RECORD");
  return file;
}

unsigned long inode_of(int folder, const char* name, int flags) {
  struct stat found;
  const long failed = syscall(SYS_newfstatat, folder, name, &found, flags);
  return failed == 0 ? found.st_ino : 0;
}

unsigned long inode_of(int descriptor) { return inode_of(descriptor, "", AT_EMPTY_PATH); }

/// A line, and bytes that belong to it.
__attribute__((format(printf, 3, 4))) void say(const void* bytes, std::size_t count,
                                               const char* format, ...) {
  char line[2 * kPathBytes + 100];
  va_list words;
  va_start(words, format);
  const int length = vsnprintf(line, sizeof line, format, words);
  va_end(words);
  pthread_mutex_lock(&mutex);
  put(record(), line, static_cast<std::size_t>(length));
  if (bytes != nullptr) {
    put(record(), bytes, count);
    put(record(), "\n", 1);
  }
  pthread_mutex_unlock(&mutex);
}

}  // namespace

bool is_recorded(const char* file) { return record() >= 0 && *file == '/' && is_below(file); }

void record_create(const char* path) {
  say(nullptr, 0, "create\t%lu\t%s\n", inode_of(AT_FDCWD, path, 0), path);
}

void record_mkdir(const char* path) {
  say(nullptr, 0, "mkdir\t%lu\t%s\n", inode_of(AT_FDCWD, path, 0), path);
}

void record_truncate(int descriptor, off_t bytes) {
  say(nullptr, 0, "truncate\t%lu\t%ld\n", inode_of(descriptor), bytes);
}

void record_write(int descriptor, const void* bytes, std::size_t count, off_t offset) {
  const long end =
      offset >= 0 ? offset + static_cast<long>(count) : syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
  say(bytes, count, "write\t%lu\t%ld\t%zu\n", inode_of(descriptor), end - static_cast<long>(count),
      count);
}

void record_sync(int descriptor) { say(nullptr, 0, "sync\t%lu\n", inode_of(descriptor)); }

void record_rename(const char* from, const char* to) {
  say(nullptr, 0, "rename\t%s\t%s\n", from, to);
}

void record_gone(const char* what, const char* path) { say(nullptr, 0, "%s\t%s\n", what, path); }

}  // namespace failing
