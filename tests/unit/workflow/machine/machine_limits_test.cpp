/// What `doctor` says of shared GPUs and of machines that Plumbline cannot measure.
#include "workflow/machine/machine_limits.h"

#include <gtest/gtest.h>

#include <fstream>

#include "workflow/scratch_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using State = Observation::State;

/// A machine's files.
class Machine {
 public:
  Machine& holds(const std::string& path, const std::string& text) {
    const fs::path file = root() / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
    return *this;
  }
  fs::path root() const { return folder_.path(); }

 private:
  ScratchFolder folder_;
};

constexpr const char* kRelease = "proc/sys/kernel/osrelease";

Observation only_one(const std::vector<Observation>& found) {
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? Observation{} : found.front();
}

void expect_said(const Observation& found, State state, const std::string& what,
                 const std::string& text, const std::string& advice) {
  EXPECT_EQ(found.state, state);
  EXPECT_EQ(found.what, what);
  EXPECT_NE(found.found.find(text), std::string::npos) << found.found;
  EXPECT_NE(found.advice.find(advice), std::string::npos) << found.advice;
}

TEST(MachineLimits, AGpuOfAnOrdinaryMachineHasNone) {
  Machine linux;
  linux.holds(kRelease, "6.1.0-32-amd64").holds("sys/class/drm/card0/device/vendor", "0x1002");
  EXPECT_TRUE(machine_limits(linux.root(), /*has_gpu=*/true).empty());
  Environment alone;
  alone.mig = false;
  alone.mps = "off";
  alone.virtualization = "passthrough";
  EXPECT_TRUE(device_limits("cuda:0", alone).empty());
  EXPECT_TRUE(device_limits("cpu", {}).empty());
}

TEST(MachineLimits, OfSharedGpusAreNamedWithWhatToDo) {
  Environment shared;
  shared.mig = true;
  shared.mps = "on";
  shared.virtualization = "vgpu";
  const auto found = device_limits("cuda:1", shared);
  ASSERT_EQ(found.size(), 3u);
  expect_said(found[0], State::note, "MIG", "cuda:1 is a part of a GPU", "nvidia-smi -mig 0");
  expect_said(found[1], State::note, "MPS", "multi-process service runs", "mps-control");
  expect_said(found[2], State::note, "vGPU", "cuda:1 is a virtual GPU", "no other machine");
  Environment may_be;
  may_be.mps = "off, pipe directory set";
  expect_said(only_one(device_limits("cuda:0", may_be)), State::note, "MPS",
              "CUDA_MPS_PIPE_DIRECTORY is set", "unset");
}

TEST(MachineLimits, OfWslAreThatProcessesAreNotListed) {
  Machine wsl;
  wsl.holds(kRelease, "5.15.167.4-microsoft-standard-WSL2");
  expect_said(only_one(machine_limits(wsl.root(), true)), State::note, "WSL",
              "lists no processes in WSL", "close programs");
  expect_said(only_one(machine_limits(wsl.root(), false)), State::note, "GPU",
              "WSL shows no NVIDIA GPU", "driver in Windows");
}

TEST(MachineLimits, WithoutAGpuSayWhy) {
  Machine bare;
  bare.holds(kRelease, "6.1.0-32-amd64");
  expect_said(only_one(machine_limits(bare.root(), false)), State::note, "GPU", "no NVIDIA driver",
              "");
  bare.holds("sys/class/drm/card0/device/vendor", "0x8086");
  expect_said(only_one(machine_limits(bare.root(), false)), State::note, "GPU", "no NVIDIA driver",
              "");
  bare.holds("sys/class/drm/card1/device/vendor", "0x1002");
  expect_said(only_one(machine_limits(bare.root(), false)), State::note, "GPU", "an AMD GPU",
              "NVIDIA GPU");
  bare.holds("proc/driver/nvidia/version", "NVRM version: 580");
  expect_said(only_one(machine_limits(bare.root(), false)), State::wrong, "GPU", "sees no GPU",
              "nvidia-smi");
}

}  // namespace
}  // namespace plumbline
