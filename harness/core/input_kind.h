/// What can be read as an input file: regular files and pipes that end.
///
/// Opens no file: the caller passes what stat() and realpath() found.
#pragma once

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline {

/// Limit for input that is not a regular file (a pipe, a terminal); longer input is refused.
inline constexpr std::uint64_t kMostPipedBytes = std::uint64_t{256} << 20;

/// The kind of file in words: "a directory", "a device".
constexpr std::string_view kind_in_words(mode_t mode) {
  if (S_ISREG(mode)) return "a file";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// Why this cannot be an input, in words; "" where it can. Inputs are files, /dev/null, and pipes
/// without a name, as a shell's <(command) or /dev/stdin. A named pipe would block until somebody
/// writes to it; other devices have no end. `is_terminal`: a person types the input and ends it.
inline std::string input_mistake(const struct stat& found, bool has_name, bool is_terminal) {
  constexpr unsigned kMemoryDevices = 1, kNull = 3;  // Linux device numbers
  const mode_t mode = found.st_mode;
  const bool is_null =
      S_ISCHR(mode) && major(found.st_rdev) == kMemoryDevices && minor(found.st_rdev) == kNull;
  if (S_ISREG(mode) || (S_ISFIFO(mode) && !has_name) || is_terminal || is_null) return "";
  return "found " + std::string(kind_in_words(mode)) +
         "; expected a file, or what a command prints: <(command), /dev/stdin";
}

/// The message for input that is longer than kMostPipedBytes.
inline std::string endless_mistake() {
  return "found more than " + std::to_string(kMostPipedBytes >> 20) +
         " MiB in a pipe; expected a file, or a smaller input";
}

}  // namespace plumbline
