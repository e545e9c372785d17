#include "workflow/cleaning/cached_leftovers.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "core/uninterrupted.h"
#include "core/words.h"
#include "store/file.h"
#include "store/folder.h"
#include "workflow/setup/git.h"
#include "workflow/sides/build_record.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Files of one kind: where they are, how they are named, how they begin.
struct Kind {
  std::string_view word, folder, name, beginning;
};

constexpr Kind kKinds[] = {
    {"compiled kernel", "kernels", "[0-9a-f]{32}\\.kernel", "plumbline-kernel "},
    {"unfinished kernel", "kernels", "[0-9a-f]{32}\\.kernel\\.[0-9]+", ""},
    {"list of operators", "", "schemas-[0-9a-f]{32}", "["},
    {"unfinished list", "", "schemas-[0-9a-f]{32}\\.tmp[0-9]+", ""},
    {"time of a context", "contexts", "GPU-[0-9a-f-]+-[0-9.]*", ""},
    {"log of a build", "builds", "[0-9a-f]{32}\\.log", ""},
};

bool is_plain(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(fs::symlink_status(path, none));
}

bool is_folder(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(fs::symlink_status(path, none));
}

/// Reads without a trace: a look at a file is no use of it. False of somebody else's file.
bool begins_with(const fs::path& path, std::string_view beginning) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOATIME;
  const Descriptor file(uninterrupted([&] { return ::open(path.c_str(), kFlags); }));
  std::string text(beginning.size(), '\0');
  const auto read = [&] { return ::pread(file.get(), text.data(), text.size(), 0); };
  return file.get() >= 0 && uninterrupted(read) == ssize_t(text.size()) && text == beginning;
}

/// Entries of a folder that is no link, sorted by name.
std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  if (is_folder(folder)) entries = entries_of(folder);
  std::ranges::sort(entries);
  return entries;
}

std::string unused_for(double older_than_s) {
  return older_than_s > 0 ? "not used for " + age_in_words(older_than_s) : "not in use";
}

/// "1 list of operators", "3 lists of operators".
std::string counted_kind(std::size_t count, std::string_view word) {
  const std::size_t space = word.find(' ');
  const bool is_first = word.find(" of ") != word.npos;
  return is_first ? counted(count, word.substr(0, space)) + std::string(word.substr(space))
                  : counted(count, word);
}

void find_files(const std::string& cache, const Kind& kind, double older_than_s, Leftovers& found) {
  const fs::path folder = kind.folder.empty() ? fs::path(cache) : fs::path(cache) / kind.folder;
  const std::regex name{std::string(kind.name)};
  Leftover group{.what = "", .path = folder.string(), .is_folder = false};
  for (const fs::path& path : sorted_entries(folder)) {
    if (!is_plain(path) || !std::regex_match(path.filename().string(), name)) continue;
    const double age_s = now_s() - last_use_of(path.string());
    if (age_s < older_than_s || !begins_with(path, kind.beginning)) continue;
    std::error_code none;
    group.files.push_back(path.string());
    group.bytes += fs::file_size(path, none);
    group.age_s = std::max(group.age_s, age_s);
  }
  if (group.files.empty()) return;
  group.what = counted_kind(group.files.size(), kind.word);
  group.why = unused_for(older_than_s);
  found.removable.push_back(std::move(group));
}

/// True if files that git neither knows nor ignores came after the build, whose record is `done`.
/// Without a build, any such file counts.
bool has_new_files(const std::string& tree, const std::string& done) {
  const double built = last_change_of(done);
  std::istringstream names(
      git_text(tree, {"-c", "core.quotePath=off", "ls-files", "--others", "--exclude-standard"}));
  for (std::string name; std::getline(names, name);)
    if (const double changed = last_change_of(tree + "/" + name); changed == 0 || changed > built)
      return true;
  return false;
}

/// What somebody did in the checkout of that commit after Plumbline built it; "" = nothing.
std::string work_in(const std::string& tree, const std::string& commit, const std::string& done) {
  const std::string said = git_text(tree, {"rev-parse", "HEAD"});
  const std::string head = said.substr(0, said.find('\n'));
  if (head.empty()) return "git cannot read it, so it may hold work";
  if (head != commit) return "somebody committed in it";
  const bool is_edited = is_plain(done) ? !read_text(done).ends_with(edits_record(tree))
                                        : !git_text(tree, {"diff", "--name-only", "HEAD"}).empty();
  if (is_edited) return "somebody edited files in it";
  return has_new_files(tree, done) ? "somebody added files to it" : "";
}

void take(Leftover leftover, const std::string& objection, Leftovers& found) {
  if (!objection.empty()) leftover.why = objection;
  (objection.empty() ? found.removable : found.kept).push_back(std::move(leftover));
}

void find_checkouts(const std::string& cache, double older_than_s, Leftovers& found) {
  const fs::path trees = fs::path(cache) / "trees";
  const std::regex commit("[0-9a-f]{40}|[0-9a-f]{64}");
  for (const fs::path& lock : sorted_entries(trees)) {
    const std::string name = lock.stem().string(), tree = (trees / name).string();
    // Only Plumbline makes the lock beside it.
    if (lock.extension() != ".lock" || !is_plain(lock) || !std::regex_match(name, commit)) continue;
    Leftover leftover{.what = "checkout",
                      .path = tree,
                      .why = unused_for(older_than_s),
                      .in_use = {lock.string()}};
    for (const char* end : {".done", ".log"})
      if (is_plain(tree + end)) leftover.files.push_back(tree + end);
    std::error_code none;
    const bool is_there = is_folder(tree);
    if (!is_there && fs::exists(fs::symlink_status(tree, none))) continue;  // a link
    if (!is_there && leftover.files.empty()) continue;
    leftover.is_folder = is_there;
    // Its lock is touched by who uses it; reading the lock is no use of the tree.
    leftover.age_s = now_s() - last_change_of(lock.string());
    if (leftover.age_s < older_than_s) continue;
    const FolderFacts facts = facts_of(tree, [](const auto&, bool) { return true; });
    leftover.bytes = facts.bytes;
    const std::string done = tree + ".done";
    take(std::move(leftover),
         is_in_use({lock.string()}) ? "in use"
         : facts.has_mount          ? "a file system is mounted in it"
         : !facts.stranger.empty()  ? "it cannot be read"
         : is_there                 ? work_in(tree, name, done)
                                    : "",
         found);
  }
}

/// Names in the cache that links there lead to, such as `venv`.
std::set<std::string> linked_names(const std::string& cache) {
  std::set<std::string> names;
  std::error_code none;
  for (const fs::path& path : sorted_entries(cache))
    if (fs::is_symlink(path, none)) names.insert(fs::read_symlink(path, none).filename().string());
  return names;
}

}  // namespace

Leftovers cached_leftovers(const std::string& cache, double older_than_s) {
  Leftovers found;
  find_checkouts(cache, older_than_s, found);
  for (const Kind& kind : kKinds) find_files(cache, kind, older_than_s, found);
  return found;
}

Leftovers environments_in(const std::string& cache, double older_than_s) {
  Leftovers found;
  const std::regex environment("[a-z]+-[0-9a-f]{12}");
  const std::set<std::string> linked = linked_names(cache);
  for (const fs::path& path : sorted_entries(cache)) {
    const std::string name = path.filename().string();
    if (!is_folder(path) || !std::regex_match(name, environment)) continue;
    // Made by `plumbline upgrade`, it has a lock of its own; only Plumbline makes that.
    const std::string own_lock = path.string() + ".lock";
    const bool is_of_upgrade = name.starts_with("upgrade-") && is_plain(own_lock);
    const bool is_whole = is_plain(path / ".complete") && is_plain(path / "pyvenv.cfg");
    if (!is_whole && !is_of_upgrade) continue;
    const std::string lock = is_of_upgrade ? own_lock : cache + "/.lock";
    const FolderFacts facts = facts_of(path.string(), [](const auto&, bool) { return true; });
    // Every Python that starts in an environment reads pyvenv.cfg.
    const double used = is_whole ? std::max(last_use_of((path / "pyvenv.cfg").string()),
                                            last_use_of((path / ".complete").string()))
                                 : last_change_of(own_lock);
    Leftover leftover{.what = is_whole ? "environment" : "unfinished environment",
                      .path = path.string(),
                      .why = is_of_upgrade ? "`plumbline upgrade` makes it again"
                                           : "scripts/setup makes it again",
                      .bytes = facts.bytes,
                      .age_s = now_s() - used,
                      .in_use = {lock}};
    if (leftover.age_s < older_than_s) continue;
    take(std::move(leftover),
         is_in_use({lock})       ? (is_of_upgrade ? "in use" : "a set-up is at work in the cache")
         : linked.contains(name) ? "a link in the cache leads to it"
         : facts.has_mount       ? "a file system is mounted in it"
                                 : "",
         found);
  }
  return found;
}

}  // namespace plumbline
