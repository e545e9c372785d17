#include "rules.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace failing {
namespace {

constexpr const char* kKindNames[] = {
    "read",   "write", "receive", "send", "create", "open", "close", "stat", "sync",   "truncate",
    "rename", "mkdir", "unlink",  "link", "lock",   "pipe", "dup",   "fork", "thread", "memory"};
constexpr std::size_t kKinds = sizeof kKindNames / sizeof *kKindNames;

struct NamedError {
  const char* name;
  int number;
};
constexpr NamedError kErrors[] = {
    {"EACCES", EACCES}, {"EAGAIN", EAGAIN}, {"EINTR", EINTR},   {"EIO", EIO},
    {"EMFILE", EMFILE}, {"ENOLCK", ENOLCK}, {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC},
    {"EROFS", EROFS},   {"short", kShort},
};

const char* text_of(const char* variable) {
  const char* const text = getenv(variable);
  return text == nullptr ? "" : text;
}

int error_named(const char* name) {
  for (const NamedError& error : kErrors)
    if (strcmp(error.name, name) == 0) return error.number;
  return 0;
}

bool is_the_program() {
  Path program;
  if (readlink("/proc/self/exe", program.text, kPathBytes - 1) < 0) return false;
  const char* const slash = strrchr(program.text, '/');
  return slash != nullptr && strcmp(slash + 1, text_of("FAILING_PROGRAM")) == 0;
}

struct Rules {
  long process = is_the_program() ? syscall(SYS_getpid) : 0;
  const char* folders = text_of("FAILING_BELOW");
  const char* kind = text_of("FAILING_KIND");
  unsigned long number = strtoul(text_of("FAILING_NUMBER"), nullptr, 10);
  bool has_later = *text_of("FAILING_EVER") != '\0';
  int error = error_named(text_of("FAILING_WITH"));
  int list = process != 0 ? own_file("FAILING_LIST") : -1;
  unsigned long counts[kKinds] = {};
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

Rules& rules() {
  static Rules the;
  return the;
}

/// Read before the program starts a thread.
__attribute__((constructor)) void read_rules() { rules(); }

}  // namespace

bool is_watched() {
  const long process = rules().process;
  return process != 0 && process == syscall(SYS_getpid);
}

bool is_below(const char* file) {
  if (*file != '/' || strncmp(file, "/memfd:", 7) == 0 || *rules().folders == '\0') return true;
  for (const char* folder = rules().folders; *folder != '\0';) {
    const std::size_t length = strcspn(folder, ":");
    if (strncmp(file, folder, length) == 0 && (file[length] == '/' || file[length] == '\0'))
      return true;
    folder += length + (folder[length] == ':');
  }
  return false;
}

int fate_of(Kind kind, const char* function, const char* file) {
  if (file != nullptr && !is_below(file)) return 0;
  Rules& the = rules();
  const auto place = static_cast<std::size_t>(kind);
  pthread_mutex_lock(&mutex);
  const unsigned long number = ++the.counts[place];
  const bool is_meant = strcmp(kKindNames[place], the.kind) == 0 &&
                        (number == the.number || (the.has_later && number > the.number));
  if (the.list >= 0) {
    char line[kPathBytes + 100];
    const int length =
        snprintf(line, sizeof line, "%s\t%lu\t%s\t%s\t%s\n", kKindNames[place], number, function,
                 file == nullptr ? "" : file, is_meant ? text_of("FAILING_WITH") : "");
    put(the.list, line, static_cast<std::size_t>(length));
  }
  pthread_mutex_unlock(&mutex);
  return is_meant ? the.error : 0;
}

Path path_of(int descriptor) {
  Path link, path;
  snprintf(link.text, kPathBytes, "/proc/self/fd/%d", descriptor);
  if (readlink(link.text, path.text, kPathBytes - 1) < 0) path.text[0] = '\0';
  return path;
}

Path path_at(int folder, const char* name) {
  Path path;
  if (name == nullptr || *name == '\0') return folder == AT_FDCWD ? path : path_of(folder);
  if (*name == '/') {
    snprintf(path.text, kPathBytes, "%s", name);
    return path;
  }
  if (folder == AT_FDCWD)
    syscall(SYS_getcwd, path.text, kPathBytes);
  else
    path = path_of(folder);
  const std::size_t length = strlen(path.text);
  snprintf(path.text + length, kPathBytes - length, "/%s", name);
  return path;
}

int own_file(const char* variable) {
  constexpr int kLowest = 900;
  const char* const path = text_of(variable);
  if (*path == '\0') return -1;
  const long low = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  const long high = syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, kLowest);
  syscall(SYS_close, low);
  return static_cast<int>(high);
}

void put(int descriptor, const void* bytes, std::size_t count) {
  const char* rest = static_cast<const char*>(bytes);
  while (count > 0) {
    const long done = syscall(SYS_write, descriptor, rest, count);
    if (done <= 0) return;
    rest += done;
    count -= static_cast<std::size_t>(done);
  }
}

}  // namespace failing
