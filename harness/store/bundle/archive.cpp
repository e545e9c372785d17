#include "store/bundle/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/visible.h"
#include "store/bundle/archive_names.h"
#include "store/file.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

struct Free {
  void operator()(archive* a) const { archive_free(a); }
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
using Archive = std::unique_ptr<archive, Free>;
using Entry = std::unique_ptr<archive_entry, Free>;

[[noreturn]] void fail(const std::string& path, const std::string& name, const std::string& why) {
  throw Error(path + ": the file '" + visible(name) + "' in it is refused: " + why);
}

std::string reason_of(archive* a) {
  const char* const text = archive_error_string(a);
  return text == nullptr ? "no reason is given" : visible(text);
}

std::string too_many(const ArchiveLimits& limits) {
  return "more than " + std::to_string(limits.files) + " files";
}

std::string too_much(const ArchiveLimits& limits) {
  return "its files have more than " + std::to_string(limits.bytes) + " bytes together";
}

/// What libarchive reads from. No exception may cross its code.
struct Input {
  explicit Input(const std::string& path) : file(path) {}
  InputFile file;
  std::array<char, 1 << 16> buffer{};
  std::string failure;
};

la_ssize_t read_piece(archive*, void* data, const void** into) {
  auto& input = *static_cast<Input*>(data);
  *into = input.buffer.data();
  try {
    return la_ssize_t(input.file.read(input.buffer.data(), input.buffer.size()));
  } catch (const std::exception& error) {
    input.failure = error.what();
    return ARCHIVE_FATAL;
  }
}

la_ssize_t append_piece(archive*, void* data, const void* piece, std::size_t size) {
  static_cast<std::string*>(data)->append(static_cast<const char*>(piece), size);
  return la_ssize_t(size);
}

/// The name as its bytes; "" if there is none. `is_odd`: the locale lacks letters of it, so that
/// its bytes are kept as UTF-8 alone.
std::string name_of(archive_entry* entry, bool is_odd) {
  const char* name = is_odd ? nullptr : archive_entry_pathname(entry);
  if (name == nullptr) name = archive_entry_pathname_utf8(entry);
  return name == nullptr ? "" : name;
}

/// Why this is no plain file; "" if it is one.
std::string kind_mistake(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr || archive_entry_hardlink_utf8(entry) != nullptr)
    return "it is a link";
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      break;
    case AE_IFLNK:
      return "it is a link";
    case AE_IFDIR:
      return "it is a folder; a bundle holds files alone";
    default:
      return "it is a device, a pipe or a socket";
  }
  if (archive_entry_size_is_set(entry) == 0 || archive_entry_size(entry) < 0)
    return "its size is unknown";
  return "";
}

class Reader {
 public:
  Reader(const std::string& path, const ArchiveLimits& limits)
      : path_(path), limits_(limits), input_(path), archive_(archive_read_new()) {
    archive_read_support_format_tar(archive_.get());
    archive_read_support_filter_zstd(archive_.get());
    if (archive_read_open(archive_.get(), &input_, nullptr, read_piece, nullptr) != ARCHIVE_OK)
      fail_whole();
    // The innermost filter is the file itself. What is packed twice could be endless work.
    if (archive_filter_count(archive_.get()) != 2 ||
        archive_filter_code(archive_.get(), 0) != ARCHIVE_FILTER_ZSTD)
      throw Error(path_ + ": this is no bundle: expected a .tar.zst, packed once");
  }

  /// The next file's name; false at the end.
  bool next(std::string& name) {
    const int result = archive_read_next_header(archive_.get(), &entry_);
    if (result == ARCHIVE_EOF) return false;
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) fail_whole();
    name = name_of(entry_, result == ARCHIVE_WARN);
    if (++files_ > limits_.files) throw Error(path_ + ": refused: " + too_many(limits_));
    if (const std::string why = names_.add(name); !why.empty()) fail(path_, name, why);
    if (const std::string why = kind_mistake(entry_); !why.empty()) fail(path_, name, why);
    return true;
  }

  /// The whole content of the file that next() named.
  std::string content(const std::string& name) {
    const auto size = std::uint64_t(archive_entry_size(entry_));
    if (size > limits_.bytes - bytes_) fail(path_, name, too_much(limits_));
    bytes_ += size;
    std::string text;
    std::array<char, 1 << 16> piece;
    for (la_ssize_t got; (got = archive_read_data(archive_.get(), piece.data(), piece.size()));) {
      if (got < 0) fail_whole();
      text.append(piece.data(), std::size_t(got));
      if (text.size() > size) fail(path_, name, "it is longer than it says");
    }
    if (text.size() != size) fail(path_, name, "it ends too early");
    return text;
  }

 private:
  [[noreturn]] void fail_whole() {
    if (!input_.failure.empty()) throw Error(input_.failure);
    throw Error(path_ + ": this is no bundle, or it is damaged: " + reason_of(archive_.get()));
  }

  std::string path_;
  ArchiveLimits limits_;
  Input input_;
  Archive archive_;
  archive_entry* entry_ = nullptr;  // of archive_
  ArchiveNames names_;
  std::size_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

void check(int result, archive* a, const std::string& path) {
  if (result != ARCHIVE_OK) throw Error(path + ": cannot be packed: " + reason_of(a));
}

void add_file(archive* a, const std::string& path, const std::string& name,
              const std::string& content) {
  const Entry entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_size(entry.get(), la_int64_t(content.size()));
  archive_entry_set_mtime(entry.get(), 0, 0);
  check(archive_write_header(a, entry.get()), a, path);
  if (archive_write_data(a, content.data(), content.size()) != la_ssize_t(content.size()))
    throw Error(path + ": cannot be packed: " + reason_of(a));
}

}  // namespace

void write_archive(const std::string& path, const ArchiveFiles& files,
                   const ArchiveLimits& limits) {
  ArchiveNames names;
  std::uint64_t bytes = 0;
  for (const auto& [name, content] : files) {
    if (const std::string why = names.add(name); !why.empty()) fail(path, name, why);
    bytes += content.size();
  }
  if (files.size() > limits.files) throw Error(path + ": " + too_many(limits));
  if (bytes > limits.bytes) throw Error(path + ": " + too_much(limits));
  std::string packed;
  const Archive archive(archive_write_new());
  archive_write_set_format_pax_restricted(archive.get());
  archive_write_set_bytes_in_last_block(archive.get(), 1);  // nothing behind the packed data
  // Names are bytes: the locale need not know their letters. Each file then has a header more,
  // which GNU tar mentions.
  const bool is_ascii = std::ranges::all_of(files, [](const auto& file) {
    return std::ranges::all_of(file.first, [](char c) { return c >= 0; });
  });
  if (!is_ascii)
    check(archive_write_set_options(archive.get(), "hdrcharset=BINARY"), archive.get(), path);
  check(archive_write_add_filter_zstd(archive.get()), archive.get(), path);
  check(archive_write_set_filter_option(archive.get(), "zstd", "compression-level", "12"),
        archive.get(), path);
  check(archive_write_open(archive.get(), &packed, nullptr, append_piece, nullptr), archive.get(),
        path);
  for (const auto& [name, content] : files) add_file(archive.get(), path, name, content);
  check(archive_write_close(archive.get()), archive.get(), path);
  write_atomically(path, packed);
}

void read_archive(
    const std::string& path, const ArchiveLimits& limits,
    const std::function<void(const std::string& name, std::string content)>& on_file) {
  Reader reader(path, limits);
  for (std::string name; reader.next(name);) on_file(name, reader.content(name));
}

void unpack_file(const std::string& folder, const std::string& name, const std::string& content) {
  if (const std::string why = name_mistake(name); !why.empty()) fail(folder, name, why);
  const fs::path path = fs::path(folder) / name;
  make_folders(path.parent_path().string(), "a folder of the bundle");
  const OpenFile file =
      open_file(path.string(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC);
  if (file.get() < 0 || !write_all(file.get(), content)) fail_with_errno(path.string(), "write it");
}

}  // namespace plumbline
