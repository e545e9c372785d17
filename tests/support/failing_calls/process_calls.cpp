/// Calls that make processes, threads, pipes, locks and memory.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "real.h"
#include "rules.h"

using namespace failing;

namespace {

bool is_lock(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
         command == F_OFD_SETLKW;
}

bool is_duplicate(int command) { return command == F_DUPFD || command == F_DUPFD_CLOEXEC; }

int controlled(int file, int command, void* argument) {
  if (is_watched() && is_lock(command) && refused(Kind::lock, "fcntl", path_of(file).text))
    return -1;
  if (is_watched() && is_duplicate(command) && refused(Kind::dup, "fcntl", path_of(file).text))
    return -1;
  return static_cast<int>(syscall(SYS_fcntl, file, command, argument));
}

}  // namespace

extern "C" {

pid_t fork() noexcept {
  if (is_watched() && refused(Kind::fork, "fork", nullptr)) return -1;
  return real<decltype(fork)>("fork")();
}

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* words,
                char* const* environment) noexcept {
  if (is_watched() && refused(Kind::fork, "posix_spawn", nullptr)) return errno;
  return real<decltype(posix_spawn)>("posix_spawn")(child, path, actions, attributes, words,
                                                    environment);
}
int posix_spawnp(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const* words,
                 char* const* environment) noexcept {
  if (is_watched() && refused(Kind::fork, "posix_spawnp", nullptr)) return errno;
  return real<decltype(posix_spawnp)>("posix_spawnp")(child, path, actions, attributes, words,
                                                      environment);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) noexcept {
  if (is_watched() && refused(Kind::thread, "pthread_create", nullptr)) return errno;
  static auto* const next = real<decltype(pthread_create)>("pthread_create");
  return next(thread, attributes, body, argument);
}

int pipe(int* ends) noexcept {
  if (is_watched() && refused(Kind::pipe, "pipe", nullptr)) return -1;
  return static_cast<int>(syscall(SYS_pipe2, ends, 0));
}
int pipe2(int* ends, int flags) noexcept {
  if (is_watched() && refused(Kind::pipe, "pipe2", nullptr)) return -1;
  return static_cast<int>(syscall(SYS_pipe2, ends, flags));
}
int memfd_create(const char* name, unsigned flags) noexcept {
  if (is_watched() && refused(Kind::pipe, "memfd_create", nullptr)) return -1;
  return static_cast<int>(syscall(SYS_memfd_create, name, flags));
}
int eventfd(unsigned value, int flags) noexcept {
  if (is_watched() && refused(Kind::pipe, "eventfd", nullptr)) return -1;
  return static_cast<int>(syscall(SYS_eventfd2, value, flags));
}
int signalfd(int file, const sigset_t* set, int flags) noexcept {
  if (is_watched() && refused(Kind::pipe, "signalfd", nullptr)) return -1;
  return real<decltype(signalfd)>("signalfd")(file, set, flags);
}

int dup(int file) noexcept {
  if (is_watched() && refused(Kind::dup, "dup", path_of(file).text)) return -1;
  return static_cast<int>(syscall(SYS_dup, file));
}
int dup2(int file, int number) noexcept {
  if (is_watched() && refused(Kind::dup, "dup2", path_of(file).text)) return -1;
  return static_cast<int>(syscall(SYS_dup2, file, number));
}

int flock(int file, int operation) noexcept {
  if (is_watched() && refused(Kind::lock, "flock", path_of(file).text)) return -1;
  return static_cast<int>(syscall(SYS_flock, file, operation));
}

int fcntl(int file, int command, ...) {
  va_list words;
  va_start(words, command);
  void* const argument = va_arg(words, void*);
  va_end(words);
  return controlled(file, command, argument);
}
int fcntl64(int file, int command, ...) {
  va_list words;
  va_start(words, command);
  void* const argument = va_arg(words, void*);
  va_end(words);
  return controlled(file, command, argument);
}

/// Called by the allocator of the program: nothing here may allocate.
void* mmap(void* at, std::size_t bytes, int access, int flags, int file, off_t offset) noexcept {
  if ((flags & MAP_ANONYMOUS) != 0 && is_watched() && refused(Kind::memory, "mmap", nullptr))
    return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, bytes, access, flags, file, offset));
}
void* mmap64(void* at, std::size_t bytes, int access, int flags, int file, off_t offset) noexcept {
  return mmap(at, bytes, access, flags, file, offset);
}

}  // extern "C"
