#include "schedule/process/resource_group.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "core/error.h"
#include "core/uninterrupted.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "plumbline-";
constexpr long long kUnlimited = std::numeric_limits<long long>::max();

std::string text_in(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// One write: the kernel takes a value of a group only whole. False with errno.
bool put(const fs::path& file, const std::string& text) {
  const int number = uninterrupted([&] { return open(file.c_str(), O_WRONLY | O_CLOEXEC); });
  if (number < 0) return false;
  const auto put = uninterrupted([&] { return write(number, text.data(), text.size()); });
  const int error = errno;
  close(number);
  errno = error;
  return put == ssize_t(text.size());
}

/// The number after `key` in lines "key number", or alone in the file if the key is empty; "max"
/// and a missing one are unlimited.
long long number_in(const fs::path& file, std::string_view key = "") {
  std::istringstream words(text_in(file));
  if (key.empty()) {
    long long number = kUnlimited;
    return words >> number ? number : kUnlimited;
  }
  std::string name, number;
  while (words >> name >> number)
    if (name == key) return std::atoll(number.c_str());
  return 0;
}

bool has_word(const std::string& text, std::string_view word) {
  std::istringstream words(text);
  for (std::string found; words >> found;)
    if (found == word) return true;
  return false;
}

bool lists(const std::string& names, std::string_view name) {
  std::istringstream list(names);
  for (std::string found; std::getline(list, found, ',');)
    if (found == name) return true;
  return false;
}

/// A hierarchy of groups, and the group of this process in it.
struct Hierarchy {
  fs::path top, own;  // folders; empty = there is none
};

/// `controller`: "" for cgroup v2. Of lines "36 31 0:33 ROOT PLACE rw - TYPE SOURCE OPTIONS" and
/// "4:memory:/path". A container may see only a part, whose path it knows as ROOT.
Hierarchy hierarchy_of(const fs::path& root, const std::string& controller) {
  std::string own;
  bool is_found = false;
  std::istringstream groups(text_in(root / "proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? names.empty() : lists(names, controller)) {
      own = line.substr(second + 1);
      is_found = true;
    }
  }
  if (!is_found) return {};
  std::istringstream mounts(text_in(root / "proc/self/mountinfo"));
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string skipped, part, place, word, type, source, options;
    words >> skipped >> skipped >> skipped >> part >> place;
    while (words >> word && word != "-") continue;
    words >> type >> source >> options;
    if (controller.empty() ? type != "cgroup2" : type != "cgroup" || !lists(options, controller))
      continue;
    fs::path below = fs::path(own).lexically_relative(part);
    if (below.empty() || *below.begin() == "..") below = ".";  // part is /docker/x, own is /
    const fs::path top = root / fs::path(place).relative_path();
    fs::path folder = (top / below).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    return {top, folder};
  }
  return {};
}

/// Makes a group for a moment, and looks for the files that take its limits. "" or what is wrong.
std::string mistake_at(const fs::path& folder, const std::vector<const char*>& files) {
  if (access((folder / "cgroup.procs").c_str(), W_OK) != 0)
    return folder.string() + ": " + std::strerror(errno);
  const fs::path tried = folder / (kPrefix + std::to_string(getpid()) + "-try");
  if (mkdir(tried.c_str(), 0755) != 0 && errno != EEXIST)
    return folder.string() + ": " + std::strerror(errno);
  std::string mistake;
  for (const char* file : files)
    if (access((tried / file).c_str(), W_OK) != 0)
      mistake = (tried / file).string() + ": " + std::strerror(errno);
  rmdir(tried.c_str());
  return mistake;
}

/// The nearest group that gives its children both controllers, else memory, else processes. The
/// process's own one cannot: a group with processes in it does not limit children of its own.
void find_in_v2(const Hierarchy& v2, GroupPlace& place) {
  const std::array<std::vector<const char*>, 3> wanted{{{"memory", "pids"}, {"memory"}, {"pids"}}};
  for (const auto& controllers : wanted)
    for (fs::path folder = v2.own;; folder = folder.parent_path()) {
      const std::string given = text_in(folder / "cgroup.subtree_control");
      if (std::ranges::all_of(controllers, [&](const char* c) { return has_word(given, c); })) {
        std::vector<const char*> files;
        for (const char* c : controllers)
          files.push_back(std::string_view(c) == "memory" ? "memory.max" : "pids.max");
        const std::string mistake = mistake_at(folder, files);
        if (mistake.empty()) {
          if (has_word(controllers.front(), "memory")) place.memory = folder;
          if (has_word(controllers.back(), "pids")) place.processes = folder;
          place.is_v2 = true;
          return;
        }
        if (place.why_not.empty()) place.why_not = mistake;
      }
      if (folder == v2.top || folder == folder.parent_path()) break;
    }
}

/// Limits of the group of this process and of those above.
long long own_memory_limit(const Hierarchy& of, const char* file) {
  long long least = kUnlimited;
  if (of.own.empty()) return least;
  for (fs::path folder = of.own;; folder = folder.parent_path()) {
    least = std::min(least, number_in(folder / file));
    if (folder == of.top || folder == folder.parent_path()) return least;
  }
}

long long machine_memory(const fs::path& root) {
  constexpr long long kKibibyte = 1024;
  return number_in(root / "proc/meminfo", "MemTotal:") * kKibibyte;
}

/// Groups that a plumbline left behind which was killed. The kernel refuses to remove used ones.
void remove_left_behind(const fs::path& place) {
  constexpr std::time_t kSettled_s = 60;  // one that was just made is empty, too
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(place, none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    const pid_t maker = std::atoi(name.c_str() + std::strlen(kPrefix));
    struct stat known {};
    if (maker > 0 && kill(maker, 0) != 0 && errno == ESRCH &&
        stat(entry.path().c_str(), &known) == 0 && known.st_mtime + kSettled_s < std::time(nullptr))
      rmdir(entry.path().c_str());
  }
}

fs::path made(const fs::path& place, const std::string& name) {
  if (place.empty()) return {};
  const fs::path folder = place / name;
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
    throw Error("cannot make the control group " + folder.string() + ": " + std::strerror(errno));
  return folder;
}

void set(const fs::path& file, long long value) {
  if (!put(file, std::to_string(value)))
    throw Error("cannot set " + file.string() + " to " + std::to_string(value) + ": " +
                std::strerror(errno));
}

/// Kills all processes of the group and removes it. A killed process is in it until it is gone.
void remove_group(const fs::path& folder) {
  if (folder.empty()) return;
  constexpr timespec kPause{0, 2'000'000};
  constexpr int kMostPauses = 1000;
  for (int i = 0; rmdir(folder.c_str()) != 0 && errno == EBUSY && i < kMostPauses; ++i) {
    if (!put(folder / "cgroup.kill", "1")) {  // only v2 of Linux 5.14 and newer has it
      std::istringstream members(text_in(folder / "cgroup.procs"));
      for (pid_t member = 0; members >> member;)
        if (member > 0) kill(member, SIGKILL);
    }
    nanosleep(&kPause, nullptr);
  }
}

}  // namespace

GroupPlace find_group_place(const fs::path& root) {
  GroupPlace place{};
  const Hierarchy memory = hierarchy_of(root, "memory"), processes = hierarchy_of(root, "pids"),
                  v2 = hierarchy_of(root, "");
  if (!memory.own.empty() || !processes.own.empty()) {
    place.why_not = memory.own.empty() || processes.own.empty() ? "one of them is missing" : "";
    for (const auto& [of, file, found] :
         {std::tuple{&memory, "memory.limit_in_bytes", &place.memory},
          {&processes, "pids.max", &place.processes}}) {
      if (of->own.empty()) continue;
      const std::string mistake = mistake_at(of->own, {file});
      if (mistake.empty())
        *found = of->own;
      else
        place.why_not = mistake;
    }
  } else if (!v2.own.empty()) {
    find_in_v2(v2, place);
  }
  if ((place.memory.empty() || place.processes.empty()) && place.why_not.empty())
    place.why_not = v2.own.empty() ? "control groups are not mounted"
                                   : "no control group above " + v2.own.string() +
                                         " gives memory and pids to its children";
  place.memory_bytes =
      std::min({machine_memory(root), own_memory_limit(memory, "memory.limit_in_bytes"),
                own_memory_limit(v2, "memory.max")});
  return place;
}

const GroupPlace& group_place() {
  static const GroupPlace place = [] {
    GroupPlace found = find_group_place();
    for (const fs::path& folder : {found.memory, found.processes})
      if (!folder.empty()) remove_left_behind(folder);
    return found;
  }();
  return place;
}

long long default_memory_bytes(const GroupPlace& place) { return place.memory_bytes / 2; }

ResourceGroup::ResourceGroup(const GroupPlace& place, const ResourceLimits& limits)
    : limits_(limits), is_v2_(place.is_v2) {
  static std::atomic<int> count = 0;
  const std::string name = kPrefix + std::to_string(getpid()) + '-' + std::to_string(++count);
  try {
    memory_ = made(place.memory, name);
    processes_ = made(place.processes, name);
    if (!memory_.empty() && is_v2_) {
      set(memory_ / "memory.max", limits.memory_bytes);
      put(memory_ / "memory.swap.max", "0");   // missing where there is no swap
      put(memory_ / "memory.oom.group", "1");  // all or none: half a program may hang
    } else if (!memory_.empty()) {
      set(memory_ / "memory.limit_in_bytes", limits.memory_bytes);
      put(memory_ / "memory.memsw.limit_in_bytes", std::to_string(limits.memory_bytes));
    }
    if (!processes_.empty()) set(processes_ / "pids.max", limits.processes);
  } catch (const Error&) {
    remove_group(memory_);
    if (processes_ != memory_) remove_group(processes_);
    throw;
  }
}

ResourceGroup::~ResourceGroup() {
  remove_group(memory_);
  if (processes_ != memory_) remove_group(processes_);
}

std::vector<std::string> ResourceGroup::entered(const std::vector<std::string>& argv) const {
  std::vector<std::string> files;
  for (const fs::path& folder : {memory_, processes_})
    if (!folder.empty() && (files.empty() || memory_ != processes_))
      files.push_back((folder / "cgroup.procs").string());
  if (files.empty()) return argv;
  std::string script;  // 0 is the process that writes
  for (std::size_t i = 1; i <= files.size(); ++i)
    script += "echo 0 > \"$" + std::to_string(i) + "\" && ";
  script += "shift " + std::to_string(files.size()) + " && exec \"$@\"";
  std::vector<std::string> words{"/bin/sh", "-c", script, "sh"};
  words.insert(words.end(), files.begin(), files.end());
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

bool ResourceGroup::ran_out_of_memory() const {
  if (memory_.empty()) return false;
  return number_in(memory_ / (is_v2_ ? "memory.events" : "memory.oom_control"), "oom_kill") > 0;
}

std::string ResourceGroup::exceeded() const {
  if (ran_out_of_memory())
    return "it needed more memory than its sandbox has, " + bytes_in_words(limits_.memory_bytes) +
           " (--sandbox-memory), and the kernel ended processes in it";
  if (!processes_.empty() && number_in(processes_ / "pids.events", "max") > 0)
    return "it wanted more processes and threads than its sandbox has, " +
           std::to_string(limits_.processes) + " (--sandbox-processes)";
  return "";
}

std::string bytes_in_words(long long bytes) {
  constexpr double kGibibyte = 1LL << 30;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f GiB", double(bytes) / kGibibyte);
  return text.data();
}

}  // namespace plumbline
