#include "store/bundle/bundle_reader.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

#include "core/error.h"
#include "core/visible.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// A replay writes its own plumbline.yaml into each side: one of a bundle could name programs.
constexpr std::string_view kProjectFile = "plumbline.yaml";

bool is_of_side(std::string_view name, std::size_t i) {
  return name.starts_with(std::string(kBundledSides[i]) + "/");
}

bool has_place(std::string_view name) {
  constexpr std::array<std::string_view, 3> kResults{"run.json", "results.csv", "summary.csv"};
  if (name == kBundleFile || name == kBundledPage || name == kBundledComparison) return true;
  for (const std::string_view run : {"results/baseline/", "results/candidate/"})
    if (name.starts_with(run)) return std::ranges::count(kResults, name.substr(run.size())) > 0;
  return is_of_side(name, 0) || is_of_side(name, 1);
}

/// The bundle's list and the archive must say the same.
void compare_files(const std::string& path, const std::vector<BundledFile>& listed,
                   const std::vector<BundledFile>& found) {
  const auto refuse = [&](const std::string& name, const std::string& why) {
    throw Error(path + ": the file '" + visible(name) + "' " + why + ": the bundle is damaged");
  };
  for (const BundledFile& file : found) {
    const auto known = std::ranges::find(listed, file.name, &BundledFile::name);
    if (known == listed.end()) refuse(file.name, "is not in the list of bundle.json");
    if (!(*known == file)) refuse(file.name, "has another content than bundle.json says");
  }
  for (const BundledFile& file : listed)
    if (std::ranges::find(found, file.name, &BundledFile::name) == found.end())
      refuse(file.name, "is listed in bundle.json and missing");
}

/// Each side's list names its files.
void compare_sources(const std::string& path, const Bundle& bundle) {
  for (std::size_t i = 0; i < bundle.sides.size(); ++i) {
    const BundledSide& side = bundle.sides[i];
    std::set<std::string> listed, found;
    for (const BundledSource& source : side.sources) listed.insert(source.path);
    for (const BundledFile& file : bundle.files)
      if (is_of_side(file.name, i))
        found.insert(file.name.substr(std::string_view(kBundledSides[i]).size() + 1));
    if (listed != found)
      throw Error(path + ": the files in " + kBundledSides[i] +
                  " are not those that bundle.json names as its sources: the bundle is damaged");
    for (const auto* named : {&side.suites, &side.extensions})
      for (const std::string& one : *named)
        if (!found.contains(one))
          throw Error(path + ": '" + visible(one) + "' is named in bundle.json and missing");
    for (const std::string& one : found)
      if (one.substr(one.rfind('/') + 1) == kProjectFile)
        throw Error(path + ": the file '" + visible(one) +
                    "' is refused: a side of a bundle has no plumbline.yaml");
  }
}

}  // namespace

Bundle read_bundle(const std::string& path, const std::string& folder,
                   const ArchiveLimits& limits) {
  if (!folder.empty() && !fs::is_empty(folder)) throw Error(folder + ": expected an empty folder");
  std::string text;
  std::vector<BundledFile> found;
  read_archive(path, limits, [&](const std::string& name, const std::string& content) {
    if (!has_place(name))
      throw Error(path + ": the file '" + visible(name) +
                  "' is refused: a bundle has no such file");
    if (name == kBundleFile)
      text = content;
    else
      found.push_back({name, std::int64_t(content.size()), content_hash_of(content)});
    if (!folder.empty()) unpack_file(folder, name, content);
  });
  if (text.empty()) throw Error(path + ": this is no bundle: it has no bundle.json");
  Bundle bundle = read_bundle_json(text, path);
  compare_files(path, bundle.files, found);
  compare_sources(path, bundle);
  return bundle;
}

}  // namespace plumbline
