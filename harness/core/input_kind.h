/// What can be read as a file: what has an end.
///
/// Knows no path: whoever opens it says what stat() and realpath() found.
#pragma once

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline {

/// What comes from elsewhere than a file ends within so many bytes, or is refused.
inline constexpr std::uint64_t kMostPipedBytes = std::uint64_t{256} << 20;

/// "a directory", "a device": what stands there in words.
constexpr std::string_view kind_in_words(mode_t mode) {
  if (S_ISREG(mode)) return "a file";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// Why that is no input, in words; "" where it is one: a file, or a pipe that has no name of its
/// own, as a shell's <(command) and /dev/stdin. A pipe with a name keeps its reader waiting for
/// somebody who writes; a device has no end, except for /dev/null. `is_terminal`: somebody types,
/// and ends it.
inline std::string input_mistake(const struct stat& found, bool has_name, bool is_terminal) {
  constexpr unsigned kMemoryDevices = 1, kNull = 3;  // of Linux
  const mode_t mode = found.st_mode;
  const bool is_null =
      S_ISCHR(mode) && major(found.st_rdev) == kMemoryDevices && minor(found.st_rdev) == kNull;
  if (S_ISREG(mode) || (S_ISFIFO(mode) && !has_name) || is_terminal || is_null) return "";
  return "found " + std::string(kind_in_words(mode)) +
         "; expected a file, or what a command prints: <(command), /dev/stdin";
}

/// The same of what goes on beyond kMostPipedBytes.
inline std::string endless_mistake() {
  return "found more than " + std::to_string(kMostPipedBytes >> 20) +
         " MiB and no end; expected a file, or less";
}

}  // namespace plumbline
