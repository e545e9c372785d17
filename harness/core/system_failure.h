/// What exceptions of the standard library say if the system fails: a disk, memory, threads.
///
/// Code that can name what it was doing checks its calls and throws Error. This is for the rest.
#pragma once

#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <system_error>

namespace plumbline {

/// "PATH: cannot be reached: REASON", "there is not enough memory", …; nothing for an exception
/// that is no failure of the system.
inline std::optional<std::string> system_failure(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception)) return "there is not enough memory";
  if (const auto* const file = dynamic_cast<const std::filesystem::filesystem_error*>(&exception)) {
    const std::string path = file->path1().empty() ? "a folder" : file->path1().string();
    return path + ": cannot be reached: " + file->code().message();
  }
  if (const auto* const refused = dynamic_cast<const std::system_error*>(&exception))
    return "the system refuses: " + refused->code().message();
  return std::nullopt;
}

}  // namespace plumbline
