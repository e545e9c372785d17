#include "store/run/locate.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::string slug_of(const std::string& device_class, const std::string& kind) {
  Environment environment;
  environment.device_class = device_class;
  environment.device_kind = kind;
  return device_slug(environment);
}

TEST(DeviceSlug, IsLowerCaseLettersDigitsAndDashes) {
  EXPECT_EQ(slug_of("NVIDIA H200", "cuda"), "nvidia-h200");
  EXPECT_EQ(slug_of("NVIDIA H100 80GB HBM3, 500 W, MIG 1g.10gb", "cuda"),
            "nvidia-h100-80gb-hbm3-500-w-mig-1g-10gb");
  EXPECT_EQ(slug_of("AMD EPYC 2x", "cpu"), "cpu-amd-epyc-2x");
  EXPECT_EQ(slug_of("cpu AMD EPYC (2x)", "cpu"), "cpu-amd-epyc-2x");
  EXPECT_EQ(slug_of("../Ünïcode/", "cuda"), "n-code");
  Environment gpu;
  gpu.device_kind = "cuda";
  gpu.device_model = "NVIDIA H200";
  gpu.device_class = "NVIDIA H200, 700 W, ECC on";
  EXPECT_EQ(device_slug(gpu), "nvidia-h200");
  EXPECT_THROW(slug_of("", "cuda"), Error);
  EXPECT_THROW(slug_of("///", "cpu"), Error);
}

TEST(DeviceSlug, FoldersOfAClassAreNamesOfFilesWhateverItsText) {
  Environment environment;
  environment.device_kind = "cuda";
  environment.device_model = "NVIDIA H200";
  for (const std::string& device_class : {std::string("---"), std::string(500, 'x')}) {
    environment.device_class = device_class;
    const std::vector<std::string> folders = device_folders(environment);
    EXPECT_EQ(folders.at(0), "nvidia-h200");
    for (const std::string& folder : folders) {
      EXPECT_FALSE(folder.empty());
      EXPECT_LE(folder.size(), 255u) << folder;
    }
  }
}

TEST(Locate, FlagsWinOverSettingsOverDefaults) {
  const Locations none, settings{"../accepted", "/var/runs"};
  EXPECT_EQ(locate(none, none, "/p/suites").baselines, "/p/suites/baselines");
  EXPECT_EQ(locate(none, none, "/p/suites").runs, "/p/suites/runs");
  EXPECT_EQ(locate(none, settings, "/p/bench").baselines, "/p/accepted");
  EXPECT_EQ(locate(none, settings, "/p/bench").runs, "/var/runs");
  EXPECT_EQ(locate({"here", ""}, settings, "/p/bench").baselines, "here");
  EXPECT_EQ(locate({"here", ""}, settings, "/p/bench").runs, "/var/runs");
}

TEST(Locate, FindsTheNearestFileUpwards) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "a/b/c");
  EXPECT_FALSE(find_upwards(folder / "a/b/c", "plumbline-test.yaml"));
  write_file(folder / "plumbline-test.yaml", "");
  write_file(folder / "a/b/plumbline-test.yaml", "");
  EXPECT_EQ(find_upwards(folder / "a/b/c", "plumbline-test.yaml"),
            folder / "a/b/plumbline-test.yaml");
  EXPECT_EQ(find_upwards(folder / "a", "plumbline-test.yaml"), folder / "plumbline-test.yaml");
}

TEST(Locate, RunDirectoriesAreNamedByTimeCommitAndDeviceAndNeverShared) {
  const TemporaryFolder folder;
  const auto make = [&](std::string_view commit) {
    return new_run_directory(folder / "runs", "2026-01-02T03:04:05Z", commit, "nvidia-h200");
  };
  EXPECT_EQ(make("0123456789abcdef"), folder / "runs/2026-01-02T030405Z-0123456789-nvidia-h200");
  EXPECT_EQ(make("0123456789abcdef"), folder / "runs/2026-01-02T030405Z-0123456789-nvidia-h200-2");
  EXPECT_EQ(make(""), folder / "runs/2026-01-02T030405Z-nocommit-nvidia-h200");
  EXPECT_EQ(make("a/../b"), folder / "runs/2026-01-02T030405Z-a%2F..%2Fb-nvidia-h200");
  EXPECT_TRUE(fs::is_empty(folder / "runs/2026-01-02T030405Z-nocommit-nvidia-h200"));
}

TEST(Locate, ARunsFolderThatCannotBeMadeIsAnError) {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  EXPECT_THROW(new_run_directory(folder / "file", "t", "c", "d"), Error);
}

}  // namespace
}  // namespace plumbline
