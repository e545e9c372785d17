#include "workflow/setup/linked_libraries.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// What a file says about its libraries.
struct Linked {
  std::vector<std::string> folders, names;
};

/// A file that is read in pieces: libraries have gigabytes.
class Pieces {
 public:
  explicit Pieces(const std::string& path) : file_(path, std::ios::binary) {}

  /// The struct at that place; nothing if the file ends before.
  template <class T>
  std::optional<T> at(std::uint64_t place) {
    T value;
    return read(place, reinterpret_cast<char*>(&value), sizeof value) == sizeof value
               ? std::optional(value)
               : std::nullopt;
  }

  /// The text at that place, to its end.
  std::string text_at(std::uint64_t place) {
    std::array<char, kLongestText> bytes{};
    const std::size_t size = read(place, bytes.data(), bytes.size() - 1);
    return {bytes.data(), strnlen(bytes.data(), size)};
  }

 private:
  static constexpr std::size_t kLongestText = 1 << 14;

  std::size_t read(std::uint64_t place, char* bytes, std::size_t size) {
    file_.clear();
    if (place > std::uint64_t(std::numeric_limits<std::streamoff>::max())) return 0;
    file_.seekg(std::streamoff(place));
    file_.read(bytes, std::streamsize(size));
    return std::size_t(std::max<std::streamsize>(file_.gcount(), 0));
  }

  std::ifstream file_;
};

/// The place in the file of a virtual address.
std::uint64_t place_of(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return address - segment.p_vaddr + segment.p_offset;
  return UINT64_MAX;
}

/// The folders of a search path; $ORIGIN is that of the file.
std::vector<std::string> folders_in(const std::string& path, const std::string& file) {
  const std::string origin = fs::canonical(file).parent_path().string();
  std::vector<std::string> folders;
  std::stringstream list(path);
  for (std::string folder; std::getline(list, folder, ':');) {
    for (const std::string_view name : {"${ORIGIN}", "$ORIGIN"})
      if (folder.starts_with(name)) folder.replace(0, name.size(), origin);
    if (folder.starts_with('/')) folders.push_back(fs::path(folder).lexically_normal().string());
  }
  return folders;
}

Linked linked_by(const std::string& path) {
  Pieces file(path);
  const auto header = file.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  std::vector<Elf64_Phdr> segments;
  for (std::uint64_t i = 0; i < header->e_phnum; ++i)
    if (const auto segment = file.at<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr)))
      segments.push_back(*segment);
  const auto dynamic = std::ranges::find(segments, Elf64_Word(PT_DYNAMIC), &Elf64_Phdr::p_type);
  if (dynamic == segments.end()) return {};
  std::vector<Elf64_Dyn> entries;
  std::uint64_t texts = UINT64_MAX;
  for (std::uint64_t i = 0; i < dynamic->p_filesz / sizeof(Elf64_Dyn); ++i) {
    const auto entry = file.at<Elf64_Dyn>(dynamic->p_offset + i * sizeof(Elf64_Dyn));
    if (!entry || entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_STRTAB) texts = place_of(segments, entry->d_un.d_ptr);
    entries.push_back(*entry);
  }
  Linked linked;
  if (texts == UINT64_MAX) return linked;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_NEEDED) linked.names.push_back(file.text_at(texts + entry.d_un.d_val));
    if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH)
      for (std::string& folder : folders_in(file.text_at(texts + entry.d_un.d_val), path))
        linked.folders.push_back(std::move(folder));
  }
  return linked;
}

bool holds_library(const std::string& folder) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().filename().string().find(".so") != std::string::npos) return true;
  return false;
}

/// "" if no folder has it.
std::string file_in(const std::vector<std::string>& folders, const std::string& name) {
  std::error_code none;  // such as a name that is too long
  for (const std::string& folder : folders)
    if (const std::string file = folder + "/" + name; fs::is_regular_file(file, none)) return file;
  return "";
}

}  // namespace

LinkedLibraries linked_libraries(const std::string& program) {
  LinkedLibraries found;
  std::vector<std::string> files{program}, missing;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Linked linked = linked_by(files[i]);
    for (std::string& folder : linked.folders)
      if (!std::ranges::count(found.folders, folder) && holds_library(folder))
        found.folders.push_back(std::move(folder));
    for (const std::string& name : linked.names)
      if (!std::ranges::count(found.names, name)) {
        found.names.push_back(name);
        missing.push_back(name);
      }
    // Also those of earlier files: this one may have named their folder.
    std::erase_if(missing, [&](const std::string& name) {
      const std::string file = file_in(found.folders, name);
      if (!file.empty()) files.push_back(file);
      return !file.empty();
    });
  }
  return found;
}

}  // namespace plumbline
