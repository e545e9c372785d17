/// Files as bytes: whole reads, atomic writes, and the checksum that results carry.
///
/// Knows no format. Every error names the file and says why in the system's words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace plumbline {

/// Checksum of a file's bytes against accidents (not against intent): FNV-1a over little-endian
/// 64-bit words, then over the bytes that are left. Any change of one word changes it. Eight times
/// as fast as bytewise FNV-1a, so that 100 MB cost no more than 0.1 s.
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

/// A file descriptor that is closed with its object.
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

/// A file that is read from its beginning to its end, which it has: a folder, a device and a pipe
/// with a name are refused before they are opened (core/input_kind.h).
class InputFile {
 public:
  /// Throws Error where it is not there, is none, or cannot be opened.
  explicit InputFile(const std::string& path);

  /// Up to `size` bytes, 0 at the end. Throws Error where they cannot be read, and where a pipe
  /// goes on without end.
  std::size_t read(char* into, std::size_t size);

 private:
  std::string path_;
  OpenFile file_;
  bool is_plain_ = true;
  std::uint64_t read_bytes_ = 0;
};

/// Writes all of `text`; false, with errno set, where only a part of it could be written.
bool write_all(int fd, std::string_view text);

/// Checksum of the file at `path`. Throws Error as InputFile does.
ContentHash hash_of_file(const std::string& path);

/// The whole file. Throws Error as InputFile does.
std::string read_text(const std::string& path);

/// Replaces `path` by `text`: a reader sees the old content or the new, never a part, not even
/// after a crash. Throws Error; the old file is then untouched. A link stays and the file that it
/// leads to is replaced; what is no plain file (a pipe, /dev/stdout, a device) is written into.
void write_atomically(const std::string& path, std::string_view text);

/// Throws the Error with which write_atomically would end for want of a folder or of permission:
/// before what is to be written has been measured. Changes nothing.
void require_writable(const std::string& path);

/// Error "PATH: cannot ACTION: REASON of errno".
[[noreturn]] void fail_with_errno(const std::string& path, std::string_view action);

}  // namespace plumbline
