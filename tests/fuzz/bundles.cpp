#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <filesystem>

#include "core/error.h"
#include "fuzz/targets.h"
#include "store/bundle/bundle_reader.h"

namespace plumbline::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr ArchiveLimits kLimits{100, 1 << 20};

/// The input packed by zstd: a changed byte of a packed archive would only damage it.
std::string packed(std::string_view input) {
  std::string bytes;
  archive* const writer = archive_write_new();
  archive_write_set_format_raw(writer);
  archive_write_add_filter_zstd(writer);
  archive_write_set_bytes_in_last_block(writer, 1);
  archive_write_open(
      writer, &bytes, nullptr,
      [](archive*, void* into, const void* piece, std::size_t size) {
        static_cast<std::string*>(into)->append(static_cast<const char*>(piece), size);
        return la_ssize_t(size);
      },
      nullptr);
  archive_entry* const entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_pathname(entry, "tar");
  archive_write_header(writer, entry);
  archive_write_data(writer, input.data(), input.size());
  archive_entry_free(entry);
  archive_write_close(writer);
  archive_write_free(writer);
  return bytes;
}

/// All that lies in the folder, its folders too.
std::size_t entries_in(const fs::path& folder) {
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    demand(!entry.is_symlink(), "an archive makes no links");
    ++count;
  }
  return count;
}

/// A .tar, which may be packed already.
void read_bundle_file(std::string_view input, const std::string& folder) {
  const bool is_packed = input.starts_with("\x28\xb5\x2f\xfd");
  const std::string path =
      written(folder, "x.tar.zst", is_packed ? std::string(input) : packed(input));
  const std::string outer = folder + "/outer", inner = outer + "/inner";
  fs::remove_all(outer);
  fs::create_directories(inner);
  std::size_t files = 0;
  try {
    read_archive(path, kLimits, [&](const std::string& name, const std::string& content) {
      ++files;
      unpack_file(inner, name, content);
    });
  } catch (const Error&) {
    demand(entries_in(outer) == entries_in(inner) + 1, "an archive leaves its folder alone");
    demand(files <= kLimits.files, "an archive has no more files than allowed");
    throw;
  }
  demand(entries_in(outer) == entries_in(inner) + 1, "an archive leaves its folder alone");
  const Bundle bundle = read_bundle(path, "", kLimits);
  demand(
      bundle_json_text(read_bundle_json(bundle_json_text(bundle), "x")) == bundle_json_text(bundle),
      "bundle.json is read as it is written");
}

}  // namespace

std::span<const Target> bundle_targets() {
  static constexpr std::array kTargets = {Target{"bundle", read_bundle_file}};
  return kTargets;
}

}  // namespace plumbline::fuzz
