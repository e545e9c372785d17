/// Archives as strangers may make them: entries that write_archive() refuses.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <string>
#include <vector>

namespace plumbline {

struct OddEntry {
  std::string name, content;
  unsigned type = AE_IFREG;
  std::string link = {};  // target of a symbolic link
  std::string hard = {};  // of a hard link
};

struct Packing {
  int zstd = 1;  // how often it is packed
};

/// The bytes of a .tar with these entries, packed by zstd.
inline std::string odd_archive(const std::vector<OddEntry>& entries, Packing packing = {}) {
  std::string bytes;
  archive* const writer = archive_write_new();
  archive_write_set_format_pax_restricted(writer);
  archive_write_set_options(writer, "hdrcharset=BINARY");
  for (int i = 0; i < packing.zstd; ++i) archive_write_add_filter_zstd(writer);
  archive_write_set_bytes_per_block(writer, 0);
  archive_write_open(
      writer, &bytes, nullptr,
      [](archive*, void* into, const void* piece, std::size_t size) {
        static_cast<std::string*>(into)->append(static_cast<const char*>(piece), size);
        return la_ssize_t(size);
      },
      nullptr);
  for (const OddEntry& one : entries) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, one.name.c_str());
    archive_entry_set_filetype(entry, one.type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, la_int64_t(one.content.size()));
    if (!one.link.empty()) archive_entry_set_symlink(entry, one.link.c_str());
    if (!one.hard.empty()) archive_entry_set_hardlink(entry, one.hard.c_str());
    archive_write_header(writer, entry);
    archive_write_data(writer, one.content.data(), one.content.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
  return bytes;
}

}  // namespace plumbline
