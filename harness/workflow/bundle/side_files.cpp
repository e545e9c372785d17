#include "workflow/bundle/side_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/run/case.h"
#include "store/bundle/archive_names.h"
#include "store/file.h"
#include "suite/named_files.h"
#include "suite/yaml/file_limits.h"
#include "workflow/setup/git.h"
#include "workflow/setup/python_suite.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Ends the name of what a kernel was compiled to, which is no file.
constexpr std::string_view kCompiled = " (compiled)";
/// Their recorded hashes are of tensors, not of bytes.
constexpr std::string_view kTensorFiles[] = {".safetensors", ".npy"};

bool is_tensor_file(const std::string& path) {
  return std::ranges::any_of(kTensorFiles,
                             [&](std::string_view end) { return path.ends_with(end); });
}

bool is_of_system(const fs::path& path) {
  constexpr const char* kSystem[] = {"/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin"};
  return std::ranges::any_of(kSystem, [&](const char* folder) { return is_path_in(path, folder); });
}

/// The root of the git tree that the run's paths are relative to; "" if that is unknown.
fs::path tree_of_run(const RunInfo& info) {
  const std::vector<std::string> asked =
      info.asked ? info.asked->suites : std::vector<std::string>();
  for (const SuiteRef& suite : info.suites)
    for (const std::string& path : asked) {
      std::error_code none;
      const std::string whole = fs::weakly_canonical(path, none).string();
      if (!fs::path(suite.path).is_absolute() && whole.ends_with("/" + suite.path))
        return whole.substr(0, whole.size() - suite.path.size() - 1);
    }
  return "";
}

/// Too much lies in it to be the folder of a suite: /, /tmp, a home.
bool is_too_large(const fs::path& folder) {
  const char* const home = std::getenv("HOME");
  const bool holds_home =
      home != nullptr && *home != '\0' && is_path_in(fs::path(home).lexically_normal(), folder);
  return holds_home || std::distance(folder.begin(), folder.end()) < 3;
}

fs::path common_folder(const fs::path& a, const fs::path& b) {
  fs::path common;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end() && *i == *j; ++i, ++j)
    common /= *i;
  return common;
}

/// The folder of suites in no tree: it also holds the files that they name, if it is no home.
fs::path folder_of_suites(const std::vector<const SuiteRef*>& suites) {
  fs::path folder;
  const auto widen = [&](const std::string& path) {
    const fs::path parent = fs::path(path).parent_path();
    const fs::path wider = folder.empty() ? parent : common_folder(folder, parent);
    if (folder.empty() || !is_too_large(wider)) folder = wider;
  };
  for (const SuiteRef* suite : suites) widen(suite->path);
  for (const SuiteRef* suite : suites)
    for (const FileRef& file : suite->sources)
      if (fs::path(file.path).is_absolute() && !is_of_system(file.path)) widen(file.path);
  return folder;
}

class Collector {
 public:
  Collector(const RunInfo& info, const std::set<std::string>& suites,
            const std::vector<std::string>& folders)
      : info_(info), folders_(folders) {
    for (const SuiteRef& suite : info.suites)
      if (suites.contains(suite.name)) suites_.push_back(&suite);
    const bool is_in_tree = std::ranges::any_of(
        suites_, [](const SuiteRef* suite) { return !fs::path(suite->path).is_absolute(); });
    root_ = is_in_tree ? tree_of_run(info) : folder_of_suites(suites_);
  }

  SideFiles collect() {
    for (const SuiteRef* suite : suites_) {
      if (const auto path = add(suite->path, suite->hash)) found_.suites.push_back(*path);
      for (const FileRef& file : suite->sources)
        if (!file.path.ends_with(kCompiled)) add(file.path, file.hash);
    }
    for (const SuiteRef* suite : suites_) add_named(*suite);
    for (const std::string& extension : info_.asked.value_or(Asked{}).extensions) {
      const auto path = place_of(fs::weakly_canonical(extension));
      if (path && found_.contents.contains(*path)) found_.extensions.push_back(*path);
    }
    return std::move(found_);
  }

 private:
  /// The path in the side's folder of a path that a run recorded; nothing if it lies elsewhere.
  std::optional<std::string> place_of(const fs::path& recorded) const {
    fs::path path = recorded.lexically_normal();
    if (path.is_absolute()) {
      if (root_.empty() || !is_path_in(path, root_)) return std::nullopt;
      path = path.lexically_relative(root_);
    }
    return name_mistake(path.string()).empty() ? std::optional(path.string()) : std::nullopt;
  }

  bool is_as_recorded(const std::string& path, const std::string& content,
                      const std::string& hash) const {
    return hash.empty() || is_tensor_file(path) || stable_hash_text(content) == hash;
  }

  /// From the place where it lay.
  std::optional<std::string> in_tree(const std::string& place) const {
    std::error_code none;
    const fs::path path = root_ / place;
    if (root_.empty() || !fs::is_regular_file(path, none)) return std::nullopt;
    if (!is_path_in(fs::weakly_canonical(path), fs::weakly_canonical(root_))) return std::nullopt;
    return read_text(path.string());
  }

  /// From the commit that was measured.
  std::optional<std::string> in_commit(const std::string& place) const {
    const std::string& commit = info_.environment.commit;
    if (commit.empty()) return std::nullopt;
    std::vector<std::string> folders = folders_;
    if (!root_.empty() && fs::is_directory(root_)) folders.insert(folders.begin(), root_.string());
    for (const std::string& folder : folders) {
      const std::string name = commit + ":" + place;
      if (git_text(folder, {"cat-file", "-t", name}) == "blob\n")
        return git_text(folder, {"cat-file", "blob", name});
    }
    return std::nullopt;
  }

  /// Adds a file; gives its place if the bundle holds it. `hash`: what was recorded, or "".
  std::optional<std::string> add(const std::string& recorded, const std::string& hash) {
    const auto place = place_of(recorded);
    if (!place) {
      leave_out(recorded, hash,
                is_of_system(recorded) ? "it is a file of the system"
                                       : "it lies outside of the suites' tree");
      return std::nullopt;
    }
    if (found_.contents.contains(*place)) return place;
    const auto now = in_tree(*place);
    std::optional<std::string> then;
    if (!now || !is_as_recorded(*place, *now, hash)) then = in_commit(*place);
    for (const auto& [content, from] : {std::pair{&now, "tree"}, {&then, "commit"}}) {
      if (!*content || !is_as_recorded(*place, **content, hash)) continue;
      found_.sources.push_back({*place, from, is_tensor_file(*place) ? "" : hash});
      found_.contents.emplace(*place, **content);
      return place;
    }
    leave_out(*place, hash, now ? "it has changed since it was measured" : "it is gone");
    return std::nullopt;
  }

  /// True for a file that the bundle holds, and for one that is not what the run recorded.
  bool is_decided(const std::string& place) const {
    return found_.contents.contains(place) ||
           std::ranges::find(found_.absent, place, &AbsentSource::path) != found_.absent.end();
  }

  void leave_out(const std::string& path, const std::string& hash, const std::string& why) {
    if (!is_decided(path)) found_.absent.push_back({path, hash, why});
  }

  /// What the suite names and the run did not record: descriptions of compiled code, and links.
  void add_named(const SuiteRef& suite) {
    const auto place = place_of(suite.path);
    if (!place || !found_.contents.contains(*place) || is_python_suite(*place)) return;
    for (const std::string& name : named_files({*place, found_.contents.at(*place)})) {
      const fs::path path = fs::path(*place).parent_path() / name;
      if (fs::path(name).is_absolute()) continue;  // recorded, if it was read
      const auto known = place_of(path);
      if (!known || !is_decided(*known)) add(path.lexically_normal().string(), "");
    }
  }

  const RunInfo& info_;
  const std::vector<std::string>& folders_;
  std::vector<const SuiteRef*> suites_;
  fs::path root_;
  SideFiles found_;
};

}  // namespace

SideFiles files_of_side(const RunInfo& info, const std::set<std::string>& suites,
                        const std::vector<std::string>& folders) {
  return Collector(info, suites, folders).collect();
}

}  // namespace plumbline
