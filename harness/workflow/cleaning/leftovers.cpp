#include "workflow/cleaning/leftovers.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "core/uninterrupted.h"
#include "core/words.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

double seconds_of(const timespec& time) {
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// A path of /proc/self/mountinfo, which writes blanks and the like as \\040 (proc(5)).
std::string unescaped(std::string_view text) {
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\\' && i + 3 < text.size()) {
      path += char((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      path += text[i];
    }
  return path;
}

/// True also for a bind mount of the same file system, and if the mounts cannot be read.
bool has_mount_below(const std::string& folder) {
  std::error_code problem;
  const std::string whole = fs::canonical(folder, problem).string();
  std::ifstream mounts("/proc/self/mountinfo");
  if (problem || !mounts) return true;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string id, parent, device, root, place;
    words >> id >> parent >> device >> root >> place;
    place = unescaped(place);
    if (place == whole || place.starts_with(whole + "/")) return true;
  }
  return false;
}

}  // namespace

FolderFacts facts_of(const std::string& folder,
                     const std::function<bool(const std::string&, bool)>& is_ours) {
  FolderFacts facts;
  struct stat top {};
  if (::lstat(folder.c_str(), &top) != 0) return facts;
  facts.changed = seconds_of(top.st_mtim);
  facts.has_mount = has_mount_below(folder);
  const auto take = [&](const fs::path& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) return;
    const std::string name = path.filename().string();
    facts.changed = std::max(facts.changed, seconds_of(found.st_mtim));
    if (facts.stranger.empty() && !is_ours(name, S_ISDIR(found.st_mode)))
      facts.stranger = path.string();
    if (!S_ISREG(found.st_mode)) return;
    if (found.st_nlink == 1) facts.bytes += std::uint64_t(found.st_size);
    if (name == "comparison.json") facts.comparisons.push_back(path.string());
    if (name == "run.json") facts.runs.push_back(path.parent_path().string());
    if (name == "results.csv") facts.results.push_back(path.string());
  };
  std::error_code problem;
  fs::recursive_directory_iterator entry(folder, problem), end;
  for (; !problem && entry != end; entry.increment(problem)) take(entry->path());
  // What cannot be looked into may hold anything.
  if (problem && facts.stranger.empty()) facts.stranger = folder;
  return facts;
}

double newest_change_in(const std::string& folder) {
  return facts_of(folder, [](const auto&, bool) { return true; }).changed;
}

double last_change_of(const std::string& file) {
  struct stat found {};
  const bool is_plain = ::lstat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode);
  return is_plain ? seconds_of(found.st_mtim) : 0;
}

double last_use_of(const std::string& file) {
  struct stat found {};
  const bool is_told = ::lstat(file.c_str(), &found) == 0;
  if (!is_told && errno != ENOENT && errno != ENOTDIR) return now_s();  // so that it stays
  const bool is_plain = is_told && S_ISREG(found.st_mode);
  return is_plain ? std::max(seconds_of(found.st_mtim), seconds_of(found.st_atim)) : 0;
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string age_in_words(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  const auto whole = [&](double unit) { return std::size_t(std::max(seconds, 0.0) / unit); };
  if (seconds >= 2 * kDay) return counted(whole(kDay), "day");
  if (seconds >= 2 * kHour) return counted(whole(kHour), "hour");
  return counted(whole(kMinute), "minute");
}

bool take_locks(const std::vector<std::string>& files, std::vector<Descriptor>& locks) {
  for (const std::string& file : files) {
    constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    Descriptor lock(uninterrupted([&] { return ::open(file.c_str(), kFlags); }));
    if (lock.get() < 0 && errno == ENOENT) continue;
    const auto take = [&] { return ::flock(lock.get(), LOCK_EX | LOCK_NB); };
    if (lock.get() < 0 || uninterrupted(take) != 0) return false;
    locks.push_back(std::move(lock));
  }
  return true;
}

bool is_in_use(const std::vector<std::string>& files) {
  std::vector<Descriptor> locks;
  return !take_locks(files, locks);
}

}  // namespace plumbline
