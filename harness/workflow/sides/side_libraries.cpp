#include "workflow/sides/side_libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "workflow/setup/linked_libraries.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPreload = "LD_PRELOAD";
constexpr const char* kLibraryPath = "LD_LIBRARY_PATH";

/// Names of the libraries in a folder, sorted: libcudnn.so.9.
std::vector<std::string> libraries_in(const std::string& flag, const std::string& folder) {
  if (!fs::is_directory(folder)) throw Error(flag + " " + folder + ": there is no such folder");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const std::string name = entry.path().filename().string();
        name.starts_with("lib") && name.find(".so") != name.npos && entry.is_regular_file())
      names.push_back(name);
  std::ranges::sort(names);
  return names;
}

/// The first few names.
std::string quoted(const std::vector<std::string>& names) {
  constexpr std::size_t kQuoted = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kQuoted); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return names.size() <= kQuoted ? text : text + ", ...";
}

/// Puts the words before those of the variable: as given, or else as in our environment.
void put_before(const std::vector<std::string>& words, const char* name,
                EnvironmentVariables& variables) {
  const char* const ours = std::getenv(name);
  const auto given = variables.find(name);
  const std::string before = given != variables.end() ? given->second : ours ? ours : "";
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ":") + word;
  variables[name] = before.empty() ? text : text + ":" + before;
}

bool has_file(const std::vector<std::string>& folders, const std::string& name) {
  return std::ranges::any_of(folders,
                             [&](const auto& folder) { return fs::exists(folder + "/" + name); });
}

/// True if these files link libraries that are not in `places`, but where the worker's own are.
bool need_more(const std::vector<std::string>& files, const std::vector<std::string>& places,
               const std::vector<std::string>& of_worker) {
  return std::ranges::any_of(files, [&](const std::string& file) {
    return std::ranges::any_of(linked_libraries(file).names, [&](const std::string& name) {
      return !has_file(places, name) && has_file(of_worker, name);
    });
  });
}

}  // namespace

EnvironmentVariables with_libraries(const std::string& flag,
                                    const std::vector<std::string>& folders,
                                    const std::string& worker, EnvironmentVariables given) {
  if (folders.empty()) return given;
  const LinkedLibraries linked = linked_libraries(worker);
  std::vector<std::string> loaded, places;
  for (const std::string& folder : folders) {
    const std::string whole = fs::weakly_canonical(fs::absolute(folder)).string();
    if (whole.find_first_of(" :;\t\n") != whole.npos)
      throw Error(
          fmt::format("{} {}: the loader takes no path with a blank, ':' or ';'; name a link to "
                      "the folder",
                      flag, whole));
    const std::vector<std::string> there = libraries_in(flag, folder);
    const std::size_t before = loaded.size();
    for (const std::string& name : there)
      if (std::ranges::count(linked.names, name)) loaded.push_back(whole + "/" + name);
    if (loaded.size() == before)
      throw Error(fmt::format(
          "{} {}: {}; {} would still load its own libraries. Name the folder that holds a file "
          "such "
          "as libcudnn.so.9",
          flag, folder,
          there.empty() ? "it holds no library"
                        : "the worker links none of its libraries (" + quoted(there) + ")",
          worker));
    places.push_back(whole);
  }
  if (need_more(loaded, places, linked.folders))
    places.insert(places.end(), linked.folders.begin(), linked.folders.end());
  put_before(loaded, kPreload, given);
  put_before(places, kLibraryPath, given);
  return given;
}

}  // namespace plumbline
