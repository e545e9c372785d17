/// Control groups as files of a planted machine, and the real ones of this machine where there are
/// any.
#include "schedule/process/resource_group.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "schedule/process/child_process.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// A machine's files. A group that is "made" is there already, since only a kernel fills new ones.
class Machine {
 public:
  Machine() {
    std::string name = (fs::temp_directory_path() / "plumbline-groups-XXXXXX").string();
    root_ = mkdtemp(name.data());
    holds("proc/meminfo", "MemTotal:       8388608 kB\nMemFree:        1 kB");
  }
  ~Machine() { fs::remove_all(root_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Machine& holds(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
    return *this;
  }
  /// The group can have these limits, and a child that is tried out.
  Machine& gives(const std::string& group, const std::vector<std::string>& files) {
    holds(group + "/cgroup.procs", "");
    for (const std::string& file : files)
      holds(group + "/plumbline-" + std::to_string(getpid()) + "-try/" + file, "");
    return *this;
  }
  const fs::path& root() const { return root_; }
  std::string text(const fs::path& file) const {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  fs::path root_;
};

constexpr const char* kTop = "sys/fs/cgroup";
constexpr const char* kV2 = "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate";

/// A user's session of systemd: the manager's folder gives controllers to its units.
Machine& session(Machine& machine) {
  const std::string app = std::string(kTop) + "/user.slice/app.slice";
  machine.holds("proc/self/cgroup", "0::/user.slice/app.slice/run.scope");
  machine.holds("proc/self/mountinfo", kV2);
  machine.holds(app + "/cgroup.subtree_control", "cpu memory pids");
  machine.holds(app + "/run.scope/cgroup.subtree_control", "");
  return machine.gives(app, {"memory.max", "pids.max"});
}

TEST(ResourceGroup, IsMadeBesideTheGroupOfThisProcess) {
  Machine machine;
  const GroupPlace place = find_group_place(session(machine).root());
  EXPECT_EQ(place.memory, machine.root() / kTop / "user.slice/app.slice");
  EXPECT_EQ(place.processes, place.memory);
  EXPECT_TRUE(place.is_v2);
  EXPECT_EQ(place.why_not, "");
  EXPECT_EQ(place.memory_bytes, 8LL << 30);
  EXPECT_EQ(default_memory_bytes(place), 4LL << 30);
}

TEST(ResourceGroup, HasNoMoreMemoryThanTheGroupsAbove) {
  Machine machine;
  session(machine).holds(std::string(kTop) + "/user.slice/app.slice/run.scope/memory.max", "max");
  machine.holds(std::string(kTop) + "/user.slice/memory.max", "2147483648");
  EXPECT_EQ(find_group_place(machine.root()).memory_bytes, 2LL << 30);
}

TEST(ResourceGroup, WhereNoneCanBeMadeTheReasonIsSaid) {
  Machine none;
  none.holds("proc/self/cgroup", "").holds("proc/self/mountinfo", "");
  EXPECT_EQ(find_group_place(none.root()).why_not, "control groups are not mounted");
  Machine container;
  container.holds("proc/self/cgroup", "0::/").holds("proc/self/mountinfo", kV2);
  container.holds(std::string(kTop) + "/cgroup.subtree_control", "");
  const GroupPlace place = find_group_place(container.root());
  EXPECT_TRUE(place.memory.empty() && place.processes.empty());
  EXPECT_NE(place.why_not.find("gives memory and pids to its children"), std::string::npos);
}

TEST(ResourceGroup, OfTheFirstVersionHasAPlaceForEachLimit) {
  Machine machine;
  machine.holds("proc/self/cgroup", "8:pids:/\n4:cpu,memory:/docker/x/sub\n0::/");
  machine.holds("proc/self/mountinfo",
                "35 31 0:32 /docker/x /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                "39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
                "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
  machine.gives(std::string(kTop) + "/memory/sub", {"memory.limit_in_bytes"});
  machine.gives(std::string(kTop) + "/pids", {"pids.max"});
  const GroupPlace place = find_group_place(machine.root());
  EXPECT_EQ(place.memory, machine.root() / kTop / "memory/sub");
  EXPECT_EQ(place.processes, machine.root() / kTop / "pids");
  EXPECT_FALSE(place.is_v2);
}

/// The next group that this process makes there, with files as the kernel's.
fs::path planted_group(Machine& machine, const std::string& folder) {
  static int count = 0;
  const std::string group =
      folder + "/plumbline-" + std::to_string(getpid()) + '-' + std::to_string(++count);
  for (const char* file : {"memory.max", "memory.swap.max", "memory.oom.group", "pids.max"})
    machine.holds(group + '/' + file, "");
  machine.holds(group + "/memory.events", "low 0\nmax 7\noom 0\noom_kill 0\noom_group_kill 0");
  machine.holds(group + "/pids.events", "max 0");
  return machine.root() / group;
}

TEST(ResourceGroup, SetsItsLimitsAndSaysWhichWasReached) {
  Machine machine;
  const fs::path folder = planted_group(machine, "top");
  const ResourceGroup group({machine.root() / "top", machine.root() / "top", true, "", 1 << 30},
                            {3LL << 29, 300});
  EXPECT_TRUE(machine.text(folder / "memory.max").starts_with("1610612736"));
  EXPECT_TRUE(machine.text(folder / "memory.swap.max").starts_with("0"));
  EXPECT_TRUE(machine.text(folder / "memory.oom.group").starts_with("1"));
  EXPECT_TRUE(machine.text(folder / "pids.max").starts_with("300"));
  EXPECT_EQ(group.exceeded(), "");
  machine.holds("top/" + folder.filename().string() + "/pids.events", "max 3");
  EXPECT_NE(group.exceeded().find("300 (--sandbox-processes)"), std::string::npos);
  EXPECT_FALSE(group.ran_out_of_memory());
  machine.holds("top/" + folder.filename().string() + "/memory.events", "oom 1\noom_kill 2");
  EXPECT_TRUE(group.ran_out_of_memory());
  EXPECT_NE(group.exceeded().find("1.5 GiB (--sandbox-memory)"), std::string::npos);
}

TEST(ResourceGroup, IsEnteredBeforeTheProgramStarts) {
  Machine machine;
  planted_group(machine, "top");
  const ResourceGroup group({machine.root() / "top", machine.root() / "top", true, "", 1 << 30},
                            {1 << 30, 300});
  const std::vector<std::string> words = group.entered({"program", "flag"});
  EXPECT_EQ(words.front(), "/bin/sh");
  EXPECT_EQ(std::vector<std::string>(words.end() - 2, words.end()),
            (std::vector<std::string>{"program", "flag"}));
  // A group that cannot be entered starts nothing.
  const std::vector<std::string> refused = group.entered({"/bin/echo", "started"});
  fs::remove_all(machine.root() / "top");
  const ProgramOutput done = run_program(refused, 10);
  EXPECT_NE(done.end.exit_code, 0);
  EXPECT_EQ(done.out, "");
}

/// The command of a process; "" if it has ended, also before its parent asked for how.
std::string words_of(const std::string& pid) {
  std::ifstream in("/proc/" + pid + "/cmdline");
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ResourceGroup, OfThisMachineEndsWhatIsLeftInIt) {
  const GroupPlace& place = group_place();
  if (place.processes.empty()) GTEST_SKIP() << place.why_not;
  std::string left;
  {
    const ResourceGroup group(place, {1 << 30, 50});
    // In another session before the program ends: what is in its own ends with it anyway.
    const ProgramOutput done = run_program(
        group.entered(
            {"/bin/sh", "-c", "echo $(setsid sh -c 'sleep 31416 > /dev/null 2>&1 & echo $!')"}),
        10);
    left = done.out.substr(0, done.out.find('\n'));
    EXPECT_FALSE(words_of(left).empty());
  }
  EXPECT_TRUE(words_of(left).empty());
}

}  // namespace
}  // namespace plumbline
