#include "schedule/process/sandbox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>

namespace plumbline {
namespace {

using Words = std::vector<std::string>;

/// Where these words stand next to each other; the number of words if they do not.
std::size_t place_of(const Words& words, const Words& part) {
  return std::size_t(std::ranges::search(words, part).begin() - words.begin());
}

bool has(const Words& words, const Words& part) { return place_of(words, part) < words.size(); }

TEST(Sandbox, ItsProgramHasNoNetworkNoOtherProcessesAndEndsWithUs) {
  const Words words = sandbox_words({}, {"program", "flag"}, {}, {});
  for (const char* option : {"--unshare-all", "--unshare-user", "--disable-userns",
                             "--die-with-parent", "--new-session"})
    EXPECT_TRUE(has(words, {option})) << option;
  EXPECT_FALSE(has(words, {"--share-net"}));
  EXPECT_TRUE(has(words, {"--cap-drop", "ALL"}));
  EXPECT_EQ(place_of(words, {"--", "program", "flag"}), words.size() - 3);
}

TEST(Sandbox, SettingsOfTheKernelAreOnlyReadAfterProcIsMade) {
  const Words words = sandbox_words({}, {"program"}, {}, {});
  const std::size_t proc = place_of(words, {"--proc", "/proc"});
  const std::size_t settings = place_of(words, {"--ro-bind-try", "/proc/sys", "/proc/sys"});
  EXPECT_LT(proc, settings);
  EXPECT_LT(settings, words.size());
}

TEST(Sandbox, TheEnvironmentIsClearedBeforeBwrapStarts) {
  const Words words = sandbox_words({}, {"program"}, {{"A", "1"}, {"HOME", "/home/me"}}, {});
  EXPECT_EQ(words[0], "/usr/bin/env");
  EXPECT_EQ(words[1], "-i");
  EXPECT_LT(place_of(words, {"A=1"}), place_of(words, {"bwrap"}));
  EXPECT_TRUE(has(words, {"--tmpfs", "/home/me"}));
  EXPECT_FALSE(has(words, {"/home/me", "/home/me"}));
}

TEST(Sandbox, VariablesOfTheDynamicLinkerActInsideAlone) {
  const Words words = sandbox_words({}, {"program"}, {{"LD_PRELOAD", "/tree/x.so"}}, {});
  EXPECT_FALSE(has(words, {"LD_PRELOAD=/tree/x.so"}));
  EXPECT_LT(place_of(words, {"bwrap"}), place_of(words, {"--setenv", "LD_PRELOAD", "/tree/x.so"}));
  EXPECT_TRUE(has(words, {"--setenv", "LD_PRELOAD", "/tree/x.so"}));
}

TEST(Sandbox, TheCacheOfOtherRunsIsNotUsed) {
  EXPECT_TRUE(has(sandbox_words({}, {"program"}, {{"PLUMBLINE_CACHE", "/cache"}}, {}),
                  {"PLUMBLINE_CACHE=/tmp/plumbline"}));
}

TEST(Sandbox, WhatABuildMayChangeIsShownAfterWhatItMayRead) {
  const Sandbox sandbox{{"/tree"}, {"/tree"}, {"/tree/.git"}, {"/tree/x"}, {}};
  const Words words = sandbox_words(sandbox, {"program"}, {}, {});
  const std::size_t readable = place_of(words, {"--ro-bind", "/tree", "/tree"});
  const std::size_t writable = place_of(words, {"--bind", "/tree", "/tree"});
  const std::size_t covered = place_of(words, {"--tmpfs", "/tree/.git"});
  const std::size_t kept = place_of(words, {"--ro-bind", "/tree/x", "/tree/x"});
  EXPECT_LT(readable, writable);
  EXPECT_LT(writable, covered);
  EXPECT_LT(covered, kept);
  EXPECT_LT(kept, words.size());
}

TEST(Sandbox, WhatAShownFolderHoldsIsShownOnlyOnce) {
  const Sandbox sandbox{
      {"/tree/lib", "/tree", "/tree", "/tree-2", "/usr/local/cuda"}, {}, {}, {}, {}};
  const Words words = sandbox_words(sandbox, {"program"}, {}, {});
  EXPECT_EQ(std::ranges::count(words, "/tree"), 2);  // from, to
  EXPECT_EQ(std::ranges::count(words, "/tree-2"), 2);
  EXPECT_FALSE(has(words, {"/tree/lib"}));
  EXPECT_FALSE(has(words, {"/usr/local/cuda"}));
}

TEST(Sandbox, GpusAreShownWithTheirNodes) {
  EXPECT_TRUE(has(sandbox_words({}, {"program"}, {}, {"/dev/nvidia0"}),
                  {"--dev-bind-try", "/dev/nvidia0", "/dev/nvidia0"}));
}

TEST(Sandbox, ProcessesAndFilesHaveLimits) {
  const Words words = sandbox_words({}, {"program"}, {}, {});
  EXPECT_TRUE(has(words, {"--", "choom", "-n", "1000", "--", "prlimit", "--nproc=8192",
                          "--fsize=8589934592", "--core=0", "--", "program"}));
}

TEST(Sandbox, OnlyScratchCanBeWrittenAndItHasALimit) {
  Sandbox sandbox;
  sandbox.limits = {1LL << 30, 100};
  const Words words = sandbox_words(sandbox, {"program"}, {{"HOME", "/home/me"}}, {});
  for (const char* folder : {"/tmp", "/dev/shm", "/home/me"})
    EXPECT_TRUE(has(words, {"--size", "536870912", "--tmpfs", folder})) << folder;
  EXPECT_TRUE(has(words, {"--remount-ro", "/dev"}));
  EXPECT_TRUE(has(words, {"--remount-ro", "/", "--"}));
}

TEST(Sandbox, WithoutControlGroupsTheKernelLimitsAPart) {
  Sandbox sandbox;
  sandbox.limits = {1LL << 30, 100};
  const LimitMeans root{false, false, true, true}, user{false, false, false, false};
  const Words of_root = sandbox_words(sandbox, {"program"}, {}, {}, root);
  EXPECT_LT(place_of(of_root, {"unshare"}), place_of(of_root, {"bwrap"}));
  EXPECT_TRUE(has(of_root, {"400", "/proc/sys/kernel/pid_max"}));
  EXPECT_TRUE(has(of_root, {"--data=1073741824"}));
  EXPECT_FALSE(has(sandbox_words(sandbox, {"program"}, {}, {}, user), {"unshare"}));
  EXPECT_FALSE(has(sandbox_words(sandbox, {"program"}, {}, {}), {"--data=1073741824"}));
}

TEST(Sandbox, WhatIsNotLimitedIsSaid) {
  const ResourceLimits limits{1LL << 30, 100};
  EXPECT_TRUE(gaps_in({true, true, false, true}, limits, "").empty());
  EXPECT_TRUE(gaps_in({true, false, true, true}, limits, "").empty());
  const std::vector<std::string> gaps = gaps_in({false, false, false, true}, limits, "/x: no");
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_NE(gaps[0].find("memory of each process to 1.0 GiB"), std::string::npos);
  EXPECT_NE(gaps[1].find("does not limit how many processes"), std::string::npos);
  for (const std::string& gap : gaps) EXPECT_NE(gap.find("(/x: no). Start"), std::string::npos);
}

TEST(Sandbox, VariablesForComputingAreShownAndTokensAreNot) {
  for (const char* name : {"PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "NCCL_DEBUG",
                           "OMP_NUM_THREADS", "PLUMBLINE_PARTNER", "LC_ALL"})
    EXPECT_TRUE(is_shown_variable(name)) << name;
  for (const char* name : {"GITHUB_TOKEN", "AWS_ACCESS_KEY_ID", "ACTIONS_RUNTIME_URL",
                           "PLUMBLINE_TOKEN", "NVIDIA_API_KEY", "SSH_AUTH_SOCK", "PATHS", ""})
    EXPECT_FALSE(is_shown_variable(name)) << name;
}

TEST(Sandbox, ASignalInsideIsToldAsASignal) {
  const ProcessEnd crash = end_inside({.exit_code = 139});
  EXPECT_EQ(crash.signal, 11);
  EXPECT_EQ(crash.words(), "killed by signal 11 (SIGSEGV)");
  EXPECT_EQ(end_inside({.exit_code = 3}).exit_code, 3);
  EXPECT_EQ(end_inside({.exit_code = 255}).exit_code, 255);
  EXPECT_EQ(end_inside({.exit_code = 0, .signal = 9}).signal, 9);
}

}  // namespace
}  // namespace plumbline
