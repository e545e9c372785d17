#include "device/cuda/nvml/nvml.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>

#include "support/fake_nvml/fake_nvml.h"

namespace plumbline::cuda {
namespace {

/// The real class with the test's library.
class NvmlTest : public testing::Test {
 protected:
  NvmlTest() : library_(dlopen(PLUMBLINE_FAKE_NVML, RTLD_NOW | RTLD_LOCAL)) {
    auto* fake = reinterpret_cast<decltype(&fake_nvml)>(dlsym(library_, "fake_nvml"));
    fake_ = fake();
    *fake_ = {};
    fake_->processes = {own_};
  }
  ~NvmlTest() override { dlclose(library_); }

  static Environment described() {
    Environment e;
    Nvml("GPU-1", PLUMBLINE_FAKE_NVML).describe(e);
    return e;
  }

  const unsigned own_ = unsigned(getpid());
  const unsigned other_ = own_ + 1;  // a fixed number would sometimes be our own
  void* library_;
  testing_support::FakeNvml* fake_;
};

TEST_F(NvmlTest, SensorsAreReadInTheirUnits) {
  const DeviceState state = Nvml("GPU-1", PLUMBLINE_FAKE_NVML).state();
  EXPECT_EQ(state.temperature_c, 41);
  EXPECT_EQ(state.memory_temperature_c, 52);
  EXPECT_EQ(state.power_w, 123.456);
  EXPECT_EQ(state.sm_clock_hz, 1.5e9);
  EXPECT_EQ(state.memory_clock_hz, 3.2e9);
  EXPECT_EQ(state.throttle, "");
  EXPECT_EQ(Nvml("GPU-1", PLUMBLINE_FAKE_NVML).energy_j(), 7.5);
}

TEST_F(NvmlTest, EveryReasonHasAnEntryAndIdlingHasNone) {
  Nvml nvml("GPU-1", PLUMBLINE_FAKE_NVML);
  fake_->reasons = 0x1;
  EXPECT_EQ(nvml.state().throttle, "");
  fake_->reasons = 0x4 | 0x40;
  EXPECT_EQ(nvml.state().throttle, "power_cap+hw_thermal");
  fake_->reasons = 0x1ff;
  EXPECT_EQ(nvml.state().throttle,
            "clock_setting+power_cap+hw_slowdown+sync_boost+sw_thermal+hw_thermal+power_brake+"
            "display_clock");
  fake_->reasons = 0x4 | 0x1200;
  EXPECT_EQ(nvml.state().throttle, "power_cap+0x1200");
}

TEST_F(NvmlTest, LinksAreCountedAndThePathToAnotherGpuIsNamed) {
  EXPECT_EQ(described().links, "");
  fake_->nvlinks = 18;
  EXPECT_EQ(described().links, "18 NVLinks");
  const Nvml nvml("GPU-1", PLUMBLINE_FAKE_NVML);
  EXPECT_EQ(nvml.path_to("GPU-2"), "") << "there is no such GPU";
  fake_->other_uuid = "GPU-2";
  EXPECT_EQ(nvml.path_to("GPU-2"), "one PCIe switch");
  fake_->topology = 50;
  EXPECT_EQ(nvml.path_to("GPU-2"), "two NUMA nodes");
  fake_->topology = 45;
  EXPECT_EQ(nvml.path_to("GPU-2"), "") << "a level that we do not know";
  fake_->is_supported = false;
  EXPECT_EQ(nvml.path_to("GPU-2"), "");
}

/// A process that ends with its owner.
class Child {
 public:
  Child() : id_(fork()) {
    while (id_ == 0) pause();
  }
  ~Child() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  unsigned id() const { return unsigned(id_); }

 private:
  pid_t id_;
};

TEST_F(NvmlTest, AProcessThatIsNeitherOursNorExpectedIsForeign) {
  const Child first, second;
  Nvml nvml("GPU-1", PLUMBLINE_FAKE_NVML);
  EXPECT_FALSE(nvml.state().has_foreign_process);
  fake_->processes = {own_, first.id()};
  EXPECT_TRUE(nvml.state().has_foreign_process);
  nvml.expect_children(own_, 1);
  EXPECT_FALSE(nvml.state().has_foreign_process);
  fake_->processes = {second.id(), own_, first.id()};
  EXPECT_TRUE(nvml.state().has_foreign_process) << "more than were announced";
  fake_->processes = {own_, unsigned(getppid())};
  EXPECT_TRUE(nvml.state().has_foreign_process) << "no child of ours";
}

TEST_F(NvmlTest, WhereIdsAreOfAnotherNameSpaceTheirNumberDecides) {
  Nvml nvml("GPU-1", PLUMBLINE_FAKE_NVML);
  fake_->processes = {own_ + 1};
  EXPECT_FALSE(nvml.state().has_foreign_process);
  fake_->processes = {own_ + 1, own_ + 2};
  EXPECT_TRUE(nvml.state().has_foreign_process);
  nvml.expect_children(own_, 1);
  EXPECT_FALSE(nvml.state().has_foreign_process);
  fake_->processes.push_back(own_ + 3);
  EXPECT_TRUE(nvml.state().has_foreign_process);
}

TEST_F(NvmlTest, MoreProcessesThanThereWasRoomForAreAllSeen) {
  fake_->processes.assign(100, own_);
  fake_->processes.push_back(other_);
  EXPECT_TRUE(Nvml("GPU-1", PLUMBLINE_FAKE_NVML).state().has_foreign_process);
}

TEST_F(NvmlTest, WorkOfOthersCountsOnceAndOnlySinceTheLastLook) {
  fake_->samples = {{other_, 90, 1000}};  // before our start
  Nvml nvml("GPU-1", PLUMBLINE_FAKE_NVML);
  EXPECT_FALSE(nvml.state().has_foreign_work);
  fake_->samples.push_back({own_, 80, 2000});
  fake_->samples.push_back({other_, 0, 2001});
  EXPECT_FALSE(nvml.state().has_foreign_work);
  fake_->samples.push_back({other_, 1, 3000});
  EXPECT_TRUE(nvml.state().has_foreign_work);
  EXPECT_FALSE(nvml.state().has_foreign_work);
  const Child child;
  nvml.expect_children(own_, 1);
  fake_->samples.push_back({child.id(), 50, 4000});
  EXPECT_FALSE(nvml.state().has_foreign_work);
}

unsigned long long now_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

TEST_F(NvmlTest, WorkFromBeforeItWasWatchedForIsNoConcern) {
  Nvml nvml("GPU-1", PLUMBLINE_FAKE_NVML);
  fake_->samples = {{other_, 90, now_us() - 1'000'000}};
  nvml.watch();
  EXPECT_FALSE(nvml.state().has_foreign_work);
  fake_->samples.push_back({other_, 90, now_us()});
  EXPECT_TRUE(nvml.state().has_foreign_work);
}

TEST_F(NvmlTest, WorkIsSeenAlsoWhereTheDriversClockIsAnother) {
  Nvml nvml("GPU-1", PLUMBLINE_FAKE_NVML);
  nvml.watch();
  fake_->samples = {{other_, 90, 1'000'000}};  // for example since it was started
  EXPECT_TRUE(nvml.state().has_foreign_work);
}

TEST_F(NvmlTest, WhereIdsAreOfAnotherNameSpaceOurOwnWorkIsNotForeign) {
  Nvml nvml("GPU-1", PLUMBLINE_FAKE_NVML);
  fake_->processes = {own_ + 1};
  fake_->samples = {{own_ + 1, 90, 1000}, {own_ + 1, 70, 1001}};
  EXPECT_FALSE(nvml.state().has_foreign_work);
  fake_->samples.push_back({own_ + 1, 90, 2000});
  fake_->samples.push_back({own_ + 2, 5, 2000});
  EXPECT_TRUE(nvml.state().has_foreign_work);
}

TEST_F(NvmlTest, WithTheMultiProcessServiceOnlyItsOtherClientsAreForeign) {
  EXPECT_EQ(described().mps, "off");
  fake_->processes = {77};
  fake_->names[77] = "/usr/bin/nvidia-cuda-mps-server";
  EXPECT_EQ(described().mps, "on");
  fake_->mps_processes = {own_};
  Nvml nvml("GPU-1", PLUMBLINE_FAKE_NVML);
  EXPECT_FALSE(nvml.state().has_foreign_process);
  fake_->mps_processes = {own_, other_};
  EXPECT_TRUE(nvml.state().has_foreign_process);
}

TEST_F(NvmlTest, TheDriversPartOfTheEnvironmentIsRecorded) {
  const Environment e = described();
  EXPECT_EQ(e.driver, "580.1");
  EXPECT_EQ(e.power_limit_w, 700);
  EXPECT_EQ(e.ecc, true);
  EXPECT_EQ(e.mig, false);
  EXPECT_EQ(e.persistence, true);
  EXPECT_EQ(e.compute_mode, "exclusive_process");
  EXPECT_EQ(e.virtualization, "passthrough");
  EXPECT_EQ(e.vbios, "96.00");
  EXPECT_EQ(e.pcie_max, "gen 5 x16");
  EXPECT_EQ(e.pcie_now, "gen 1 x8");
  EXPECT_EQ(e.sm_clock_max_hz, 1.98e9);
  EXPECT_EQ(e.clocks_locked, "");
}

TEST_F(NvmlTest, ErrorsThatTheGpuHasCountedAreRecorded) {
  const Environment e = described();
  EXPECT_EQ(e.ecc_corrected, 3);
  EXPECT_EQ(e.ecc_uncorrected, 1);
  EXPECT_EQ(e.remapped_rows, 3);
  EXPECT_EQ(e.remap_pending, true);
  EXPECT_EQ(e.remap_failed, false);
  EXPECT_EQ(e.nvlink_errors, 15) << "three counters are known, one is not";
  EXPECT_EQ(e.pcie_replays, 7);
}

TEST_F(NvmlTest, ClocksThatSomebodySetAreSeen) {
  fake_->reasons = 0x2 | 0x4;
  EXPECT_EQ(described().clocks_locked, "yes");
  fake_->app_mhz = 1200;
  EXPECT_EQ(described().clocks_locked, "application clock 1200 MHz");
}

TEST_F(NvmlTest, AnInstanceOfADividedGpuLeadsToItsGpu) {
  fake_->uuid = "GPU-whole";
  fake_->mig_uuid = "MIG-1";
  EXPECT_EQ(described().mig, true);
}

TEST_F(NvmlTest, WhatIsNotSupportedIsUnknown) {
  fake_->is_supported = false;
  Nvml nvml("GPU-1", PLUMBLINE_FAKE_NVML);
  const DeviceState state = nvml.state();
  for (const double number : {state.temperature_c, state.memory_temperature_c, state.power_w,
                              state.sm_clock_hz, state.memory_clock_hz, nvml.energy_j()})
    EXPECT_TRUE(std::isnan(number));
  EXPECT_EQ(state.throttle, "");
  EXPECT_FALSE(state.has_foreign_process || state.has_foreign_work);
  Environment e = described();
  e.mps.clear();
  EXPECT_EQ(e, Environment{});
}

TEST_F(NvmlTest, WithoutTheLibraryOrTheGpuEverythingIsUnknown) {
  for (Nvml* nvml :
       {new Nvml("GPU-1", "libno-such-nvml.so"), new Nvml("GPU-2", PLUMBLINE_FAKE_NVML)}) {
    EXPECT_TRUE(std::isnan(nvml->state().temperature_c));
    EXPECT_TRUE(std::isnan(nvml->energy_j()));
    EXPECT_NE(nvml->lock_sm_clock(1500), "");
    EXPECT_NE(nvml->unlock_sm_clock(), "");
    Environment e;
    nvml->describe(e);
    e.driver.clear();  // known without the GPU
    EXPECT_EQ(e, Environment{});
    delete nvml;
  }
}

TEST_F(NvmlTest, ARefusalIsToldInTheDriversWords) {
  Nvml nvml("GPU-1", PLUMBLINE_FAKE_NVML);
  setenv("PLUMBLINE_FAKE_NVML_REFUSES", "1", 1);
  EXPECT_EQ(nvml.lock_sm_clock(1500), "Insufficient Permissions");
  unsetenv("PLUMBLINE_FAKE_NVML_REFUSES");
  EXPECT_EQ(nvml.lock_sm_clock(1500), "");
}

}  // namespace
}  // namespace plumbline::cuda
