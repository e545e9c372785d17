#include "store/bundle/archive_names.h"

#include <algorithm>
#include <vector>

#include "core/visible.h"

namespace plumbline {
namespace {

constexpr std::size_t kLongestName = 1024, kLongestPart = 255, kMostParts = 40;

/// Some file systems take names that differ by this for the same.
std::string in_small_letters(std::string_view text) {
  std::string low(text);
  for (char& c : low)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return low;
}

std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t slash; (slash = name.find('/')) != std::string_view::npos;) {
    parts.push_back(name.substr(0, slash));
    name.remove_prefix(slash + 1);
  }
  parts.push_back(name);
  return parts;
}

std::string part_mistake(std::string_view part) {
  if (part.empty()) return "it has an empty part";
  if (part == ".." || part == ".") return "'.' and '..' lead elsewhere";
  if (part.size() > kLongestPart) return "a part of it is longer than 255 bytes";
  // git would do what a repository says that others made.
  if (in_small_letters(part) == ".git") return "a bundle holds no repository of git";
  return "";
}

}  // namespace

std::string name_mistake(std::string_view name) {
  if (name.empty()) return "it has no name";
  if (name.front() == '/') return "it is an absolute path";
  if (name.size() > kLongestName) return "it is longer than 1024 bytes";
  if (name.find('\\') != std::string_view::npos) return "it has a backslash";
  const bool is_plain = name.find_first_of("\n\t") == std::string_view::npos;
  if (!is_plain || visible(name) != name) return "it has characters that are not seen";
  const auto parts = parts_of(name);
  if (parts.size() > kMostParts) return "it lies in more than 40 folders";
  for (const std::string_view part : parts)
    if (std::string mistake = part_mistake(part); !mistake.empty()) return mistake;
  return "";
}

std::string ArchiveNames::add(std::string_view name) {
  if (std::string mistake = name_mistake(name); !mistake.empty()) return mistake;
  const std::string low = in_small_letters(name);
  if (folders_.contains(low)) return "a folder has the same name";
  if (!files_.insert(low).second)
    return "another file has the same name, or one that differs only by capital letters";
  for (std::size_t slash = 0; (slash = low.find('/', slash)) != std::string::npos; ++slash) {
    const std::string folder = low.substr(0, slash);
    if (files_.contains(folder)) return "a file has the name of its folder";
    folders_.insert(folder);
  }
  return "";
}

}  // namespace plumbline
