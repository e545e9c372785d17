/// Files as bytes: whole reads, atomic writes, and the checksum that results carry.
///
/// Knows no format. Every error names the file and gives the system's reason.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace plumbline {

/// Checksum against accidental changes (not against attacks): FNV-1a over little-endian 64-bit
/// words, then over the remaining bytes. Any change of one word changes it. Eight times as fast as
/// bytewise FNV-1a: at most 0.1 s for 100 MB.
class ContentHash {
 public:
  void add(std::string_view bytes);
  std::uint64_t size_bytes() const { return size_bytes_; }
  std::string text() const;  // 16 hexadecimal digits

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
  std::uint64_t size_bytes_ = 0;
  std::array<char, 8> pending_{};  // the last size_bytes_ % 8 bytes
};

/// A file descriptor that closes itself.
class OpenFile {
 public:
  explicit OpenFile(int fd = -1) : fd_(fd) {}
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// An input file, read from start to end. Directories, devices and named pipes are refused before
/// they are opened (core/input_kind.h).
class InputFile {
 public:
  /// Throws Error if the file does not exist, is refused, or cannot be opened.
  explicit InputFile(const std::string& path);

  /// Reads up to `size` bytes; 0 at the end. Throws Error on a read error, and for a pipe that
  /// exceeds kMostPipedBytes.
  std::size_t read(char* into, std::size_t size);

 private:
  std::string path_;
  OpenFile file_;
  bool is_plain_ = true;
  std::uint64_t read_bytes_ = 0;
};

/// Opens a file, as ::open does; get() is -1, with errno set, if that fails.
OpenFile open_file(const std::string& path, int flags);

/// Writes all of `text`; false, with errno set, if only a part was written.
bool write_all(int fd, std::string_view text);

/// Makes what was written into a file, or the names in a folder, survive a power loss; false, with
/// errno set, on an error. True also for a file system that cannot.
bool sync_file(int fd);

/// Makes the names in a folder survive a power loss. Throws Error.
void sync_folder(const std::string& folder);

/// Where the links of `path` lead. The last target need not exist.
std::filesystem::path end_of_links(const std::string& path);

/// Makes a folder and those above it that are missing. Their names survive a power loss. Throws
/// Error "PATH: cannot create WHAT: REASON".
void make_folders(const std::string& path, std::string_view what);

/// Replaces `to` by `from`, as write_atomically does. Throws Error.
void rename_durably(const std::string& from, const std::string& to);

/// Checksum of the file at `path`. Throws Error as InputFile does.
ContentHash hash_of_file(const std::string& path);

/// The whole file. Throws Error as InputFile does.
std::string read_text(const std::string& path);

/// Replaces `path` by `text`. Readers see the old or the new content, never a part, even after a
/// power loss. When it returns, the new content survives one. Throws Error; there is then the old
/// file, or the whole new one. A link stays, and its target is replaced. Pipes, /dev/stdout and
/// other devices are written into.
void write_atomically(const std::string& path, std::string_view text);
/// The same for a long text in pieces.
void write_atomically(const std::string& path, std::span<const std::string> pieces);

/// Checks before a long measurement that write_atomically can write to `path`. Throws the Error
/// that write_atomically would throw for a missing folder or permission. Changes nothing.
void require_writable(const std::string& path);

/// Throws Error "PATH: cannot ACTION: REASON of errno".
[[noreturn]] void fail_with_errno(const std::string& path, std::string_view action);

}  // namespace plumbline
