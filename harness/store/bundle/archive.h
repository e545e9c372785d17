/// Archives of files, .tar.zst, by libarchive.
///
/// The same files give the same bytes: sorted names, no times, no owner. Reading one is reading
/// what others wrote: all that is not a plain file with a plain name is refused, and so is too
/// much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace plumbline {

/// The most that an archive may hold. A small file can unpack to any size.
struct ArchiveLimits {
  std::size_t files = 10'000;
  std::uint64_t bytes = 1ULL << 30;  // of all files, unpacked
};

/// By name: the content. Names as name_mistake() allows.
using ArchiveFiles = std::map<std::string, std::string>;

/// Replaces the file at `path`. Throws Error if read_archive() would refuse what is written, such
/// as an empty name.
void write_archive(const std::string& path, const ArchiveFiles& files,
                   const ArchiveLimits& limits = {});

/// Calls `on_file` with name and content of each file, in the order of the archive. Throws Error
/// that names the archive, the file in it and the reason. It refuses other formats, damaged data,
/// absolute paths, '..', links, folders, devices, names that occur twice or differ only by capital
/// letters, and more than `limits`. `on_file` may have been called before the error.
void read_archive(const std::string& path, const ArchiveLimits& limits,
                  const std::function<void(const std::string& name, std::string content)>& on_file);

/// Writes a file of an archive below `folder`, in which it must not exist yet. Throws Error.
void unpack_file(const std::string& folder, const std::string& name, const std::string& content);

}  // namespace plumbline
