/// Memory and processes of a program, limited together with those of all that it starts: control
/// groups of the kernel (cgroup v2 or v1).
///
/// Knows no sandbox: schedule/process/sandbox.h starts programs in such groups. See the kernel's
/// Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/{memory,pids}.rst.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace plumbline {

struct ResourceLimits {
  long long memory_bytes = 0;  // RAM, files in memory and swap together
  int processes = 0;           // and threads
  bool operator==(const ResourceLimits&) const = default;
};

/// Where this process may make groups. A path is empty if there is no such place. In cgroup v2 both
/// are the same folder.
struct GroupPlace {
  std::filesystem::path memory, processes;
  bool is_v2 = false;      // of `memory`, else of `processes`
  std::string why_not;     // in words, if a path is empty
  long long memory_bytes;  // most that the machine, or the group of this process, can have
};

/// Reads proc/self/{cgroup,mountinfo} and the control groups below `root`. A folder counts only if
/// a group was made in it for a moment.
GroupPlace find_group_place(const std::filesystem::path& root = "/");
/// The same of this machine, found once.
const GroupPlace& group_place();

/// What a program may use if nothing is said: half of what there is.
long long default_memory_bytes(const GroupPlace& place);

/// A group for one start of a program. The destructor kills what is left in it.
class ResourceGroup {
 public:
  /// With the limits that the place has. Throws Error if the kernel refuses them.
  ResourceGroup(const GroupPlace& place, const ResourceLimits& limits);
  ~ResourceGroup();
  ResourceGroup(const ResourceGroup&) = delete;
  ResourceGroup& operator=(const ResourceGroup&) = delete;

  /// `argv` behind words of a shell that enter the group first. A shell that cannot ends with a
  /// code other than 0, and starts nothing.
  std::vector<std::string> entered(const std::vector<std::string>& argv) const;
  /// True if the kernel ended a process of the group because its memory was used up.
  bool ran_out_of_memory() const;
  /// Which limit was reached, for a reason; "" for none.
  std::string exceeded() const;
  const std::filesystem::path& memory_folder() const { return memory_; }

 private:
  ResourceLimits limits_;
  bool is_v2_ = false;
  std::filesystem::path memory_, processes_;  // of this group; "" = not limited
};

/// "1.5 GiB"
std::string bytes_in_words(long long bytes);

}  // namespace plumbline
