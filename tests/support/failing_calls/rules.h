/// Which call fails: read from the environment, decided for each call.
///
/// FAILING_PROGRAM  the name of the program whose calls count; those of others, and of its children
///                  before they become another program, go through
/// FAILING_BELOW    folders, ':' between them: calls on files elsewhere do not count
/// FAILING_KIND, FAILING_NUMBER   the call that fails: its kind (kKindNames) and number, from 1
/// FAILING_WITH     an errno by name, such as ENOSPC, or `short`: half of a read or write is done
/// FAILING_EVER     if set, all later calls of that kind fail too
/// FAILING_LIST     a file that gets a line for each call: kind, number, function, file, fate
/// FAILING_RECORD   a file that gets what record.h says
///
/// Knows no plumbline. Allocates nothing: an allocator's own calls are among those that count.
#pragma once

#include <cstddef>

namespace failing {

enum class Kind {
  read,
  write,
  receive,  // reading from what is no file, such as a pipe
  send,     // writing to it
  create,   // opening for writing
  open,     // opening for reading
  close,
  stat,
  sync,
  truncate,
  rename,
  mkdir,
  unlink,
  link,
  lock,
  pipe,  // and other descriptors without a name
  dup,
  fork,
  thread,
  memory,  // anonymous mmap
};

constexpr int kShort = -1;

constexpr std::size_t kPathBytes = 4096;

/// A path as text, without allocating.
struct Path {
  char text[kPathBytes] = "";
};

/// Whether calls of this process count. If not, nothing else here is to be called.
bool is_watched();

/// Counts a call on a file, or on none (nullptr). 0: it is to be done; kShort: half of it; else it
/// is to fail with that errno.
int fate_of(Kind kind, const char* function, const char* file);

/// Whether the file lies in one of the folders. True for pipes, sockets and files in memory.
bool is_below(const char* file);

/// The whole path of a name in a folder, a descriptor or AT_FDCWD.
Path path_at(int folder, const char* name);

/// What a descriptor is: a path, or a text such as "pipe:[7]".
Path path_of(int descriptor);

/// A file for the shim's own words, with a number that no program expects; -1 if not asked for.
int own_file(const char* variable);

/// Writes bytes, whatever the rules say.
void put(int descriptor, const void* bytes, std::size_t count);

}  // namespace failing
