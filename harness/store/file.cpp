#include "store/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/input_kind.h"
#include "core/uninterrupted.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "ContentHash reads words as they lie");

constexpr std::uint64_t kPrime = 0x100000001b3ULL;
constexpr std::size_t kChunkBytes = 1 << 18;

std::uint64_t with_word(std::uint64_t hash, const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return (hash ^ word) * kPrime;
}

template <class Consumer>
void for_each_chunk(const std::string& path, Consumer consume) {
  InputFile file(path);
  std::vector<char> chunk(kChunkBytes);
  while (const std::size_t got = file.read(chunk.data(), chunk.size()))
    consume(std::string_view(chunk.data(), got));
}

std::string temporary_beside(const fs::path& target) {
  return target.string() + ".tmp" + std::to_string(::getpid());
}

/// A text, as one that stays with the caller.
struct Pieces {
  std::string_view whole;
  std::span<const std::string> parts;
};

bool write_all(int fd, const Pieces& text) {
  return plumbline::write_all(fd, text.whole) &&
         std::ranges::all_of(
             text.parts, [fd](const std::string& part) { return plumbline::write_all(fd, part); });
}

/// Writes into an existing pipe, terminal or device at `path`.
void write_into(const std::string& path, const Pieces& text) {
  const OpenFile file = open_file(path, O_WRONLY | O_CLOEXEC);
  if (file.get() < 0) fail_with_errno(path, "open it");
  if (!write_all(file.get(), text)) fail_with_errno(path, "write it");
}

/// Standard output or standard error if `found` is the same file, as for /dev/stdout; else -1.
/// Reopening the file would lose the write position, and fails for a socket.
int own_output(const struct stat& found) {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat own {};
    if (::fstat(fd, &own) == 0 && own.st_dev == found.st_dev && own.st_ino == found.st_ino)
      return fd;
  }
  return -1;
}

}  // namespace

OpenFile::~OpenFile() {
  if (fd_ >= 0) ::close(fd_);
}

InputFile::InputFile(const std::string& path) : path_(path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) fail_with_errno(path, "open it");
  std::error_code unnamed;
  const bool has_name = !fs::canonical(path, unnamed).empty();
  is_plain_ = S_ISREG(found.st_mode);
  const auto require = [&](bool is_terminal) {
    const std::string mistake = input_mistake(found, has_name, is_terminal);
    if (!mistake.empty()) throw Error(path + ": " + mistake);
  };
  if (!S_ISCHR(found.st_mode)) require(false);  // opening a named pipe would wait for its writer
  file_ = open_file(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file_.get() < 0) fail_with_errno(path, "open it");
  require(::isatty(file_.get()) == 1);
}

std::size_t InputFile::read(char* into, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(file_.get(), into, size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno(path_, "read it");
    read_bytes_ += static_cast<std::uint64_t>(got);
    if (!is_plain_ && read_bytes_ > kMostPipedBytes) throw Error(path_ + ": " + endless_mistake());
    return static_cast<std::size_t>(got);
  }
}

OpenFile open_file(const std::string& path, int flags) {
  return OpenFile(uninterrupted([&] { return ::open(path.c_str(), flags, 0666); }));
}

bool sync_file(int fd) {
  return uninterrupted([&] { return ::fsync(fd); }) == 0 || errno == EINVAL;
}

void sync_folder(const std::string& folder) {
  const OpenFile opened = open_file(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened.get() < 0 && errno == EACCES) return;  // one may write there, but not read
  if (opened.get() < 0 || !sync_file(opened.get())) fail_with_errno(folder, "write it");
}

std::filesystem::path end_of_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as in Linux
  std::error_code ignored;
  fs::path end(path);
  for (int i = 0; i < kMostLinks && fs::is_symlink(end, ignored); ++i)
    end = end.parent_path() / fs::read_symlink(end, ignored);  // an absolute link replaces it all
  return end;
}

void make_folders(const std::string& path, std::string_view what) {
  std::error_code problem;
  std::vector<fs::path> missing;
  // As it was named: ".." behind a link leads elsewhere than its text says.
  const fs::path whole = fs::absolute(path, problem);
  for (fs::path folder = whole; !fs::exists(folder, problem) && !problem;
       folder = folder.parent_path())
    missing.push_back(folder);
  if (!problem) fs::create_directories(whole, problem);
  if (problem)
    throw Error(path + ": cannot create " + std::string(what) + ": " + problem.message());
  for (const fs::path& folder : missing) sync_folder(folder.parent_path().string());
}

void rename_durably(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail_with_errno(to, "replace it");
  sync_folder(fs::absolute(to).parent_path().string());
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void ContentHash::add(std::string_view bytes) {
  const std::size_t held = size_bytes_ % 8;
  size_bytes_ += bytes.size();
  if (held > 0) {
    const std::size_t taken = std::min(bytes.size(), 8 - held);
    std::copy_n(bytes.data(), taken, pending_.data() + held);
    bytes.remove_prefix(taken);
    if (held + taken < 8) return;
    hash_ = with_word(hash_, pending_.data());
  }
  std::uint64_t hash = hash_;  // kept in a register
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) hash = with_word(hash, bytes.data());
  hash_ = hash;
  std::copy_n(bytes.data(), bytes.size(), pending_.data());
}

std::string ContentHash::text() const {
  std::uint64_t hash = hash_;
  for (std::size_t i = 0; i < size_bytes_ % 8; ++i)
    hash = (hash ^ static_cast<unsigned char>(pending_[i])) * kPrime;
  hash ^= hash >> 32;  // high bits of a word only reach high bits of the product
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; hash >>= 4) digits[i] = "0123456789abcdef"[hash & 15];
  return digits;
}

ContentHash hash_of_file(const std::string& path) {
  ContentHash hash;
  for_each_chunk(path, [&](std::string_view chunk) { hash.add(chunk); });
  return hash;
}

std::string read_text(const std::string& path) {
  std::string text;
  for_each_chunk(path, [&](std::string_view chunk) { text += chunk; });
  return text;
}

void require_writable(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) {
      errno = EISDIR;
      fail_with_errno(path, "open it");
    }
    if (!S_ISREG(found.st_mode)) return;
  } else if (errno != ENOENT) {
    fail_with_errno(path, "write it");
  }
  const std::string temporary = temporary_beside(end_of_links(path));
  const OpenFile file = open_file(temporary, O_WRONLY | O_CREAT | O_CLOEXEC);
  if (file.get() < 0) fail_with_errno(path, "create it");
  ::unlink(temporary.c_str());
}

namespace {

void replace_file(const std::string& path, const Pieces& text) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    if (const int fd = own_output(found); fd >= 0) {
      if (!write_all(fd, text)) fail_with_errno(path, "write it");
      return;
    }
    if (!S_ISREG(found.st_mode)) return write_into(path, text);
  } else if (errno != ENOENT) {  // for example a cycle of links
    fail_with_errno(path, "write it");
  }
  const std::string target = end_of_links(path).string();
  const std::string temporary = temporary_beside(target);
  {
    const OpenFile file = open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
    if (file.get() < 0) fail_with_errno(path, "create it");
    if (!write_all(file.get(), text) || !sync_file(file.get())) {
      const int reason = errno;
      ::unlink(temporary.c_str());
      errno = reason;
      fail_with_errno(path, "write it");
    }
  }
  try {
    rename_durably(temporary, target);
  } catch (const Error&) {
    ::unlink(temporary.c_str());  // it is gone already if it has its new name
    throw;
  }
}

}  // namespace

void write_atomically(const std::string& path, std::string_view text) {
  replace_file(path, {text, {}});
}

void write_atomically(const std::string& path, std::span<const std::string> pieces) {
  replace_file(path, {{}, pieces});
}

void fail_with_errno(const std::string& path, std::string_view action) {
  const std::string reason = std::generic_category().message(errno);
  throw Error(path + ": cannot " + std::string(action) + ": " + reason);
}

}  // namespace plumbline
