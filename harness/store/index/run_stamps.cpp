#include "store/index/run_stamps.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <string_view>

namespace plumbline {
namespace {

constexpr std::int64_t kTick_ns = 100'000'000;  // more than any local file system's

std::int64_t ns_of(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

}  // namespace

RunStamps stamps_of(const std::string& run_directory) {
  RunStamps stamps;
  for (const char* name : {"run.json", "results.csv", "summary.csv"}) {
    struct stat file {};
    stamps.text += name;
    if (::stat((run_directory + "/" + name).c_str(), &file) != 0) {
      stamps.text += " none;";
      continue;
    }
    const std::int64_t written = ns_of(file.st_mtim), changed = ns_of(file.st_ctim);
    stamps.text += " " + std::to_string(file.st_size) + " " + std::to_string(written) + " " +
                   std::to_string(changed) + ";";
    stamps.newest_ns = std::max({stamps.newest_ns, written, changed});
    if (std::string_view(name) != "results.csv") stamps.read_bytes += std::uint64_t(file.st_size);
  }
  return stamps;
}

bool are_settled(const RunStamps& stamps, std::int64_t read_ns) {
  return stamps.newest_ns + kTick_ns < read_ns;
}

std::int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace plumbline
