#include "schedule/clock_keeper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.h"
#include "support/places.h"

namespace plumbline {
namespace {

class ClockKeeperTest : public testing::Test {
 protected:
  ClockKeeperTest() {
    char folder[] = "/tmp/plumbline-test-XXXXXX";
    folder_ = mkdtemp(folder);
  }
  ~ClockKeeperTest() override { std::filesystem::remove_all(folder_); }

  KeeperCommand command(const std::string& clock) const {
    return {source_dir() / "tests/support/fake_keeper.py", clock, "GPU-1", folder_, 60, 60};
  }
  std::string start_error(const KeeperCommand& command) const {
    try {
      const ClockKeeper keeper(command);
    } catch (const Error& error) {
      return error.what();
    }
    return "started";
  }
  std::string diary() const {
    std::ifstream file(folder_ + "/GPU-1.clock.diary");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  std::string folder_;
};

TEST_F(ClockKeeperTest, TheClockIsLockedFromTheStartToTheEnd) {
  {
    const ClockKeeper keeper(command("1500"));
    EXPECT_EQ(diary(), "locked GPU-1\n");
    EXPECT_EQ(keeper.observed_hz(), 1.5e9);
    EXPECT_EQ(keeper.left_behind(), "process 6");
  }
  EXPECT_EQ(diary(), "locked GPU-1\nend\n");
}

TEST_F(ClockKeeperTest, IsReleasedOnce) {
  ClockKeeper keeper(command("base"));
  EXPECT_EQ(keeper.release(), "");
  EXPECT_EQ(diary(), "locked GPU-1\nend\n");
  EXPECT_EQ(keeper.release(), "");
}

TEST_F(ClockKeeperTest, AClockThatTheDriverDoesNotTellIsUnknown) {
  const ClockKeeper keeper(command("unknown"));
  EXPECT_FALSE(keeper.observed_hz());
  EXPECT_EQ(keeper.left_behind(), "");
}

TEST_F(ClockKeeperTest, ARefusalIsToldInTheKeepersWords) {
  EXPECT_EQ(start_error(command("refuse")), "cannot lock the SM clock: Insufficient Permissions");
}

TEST_F(ClockKeeperTest, AProgramThatLocksNothingIsNamed) {
  const KeeperCommand old = command("old");
  EXPECT_EQ(start_error(old), "cannot lock the clocks of GPU-1: '" + old.worker +
                                  "' exited with code 0; it printed: usage: something older");
  KeeperCommand missing = command("base");
  missing.worker = "/no/such/worker";
  EXPECT_EQ(start_error(missing), "cannot start '/no/such/worker': No such file or directory");
}

TEST_F(ClockKeeperTest, AKeeperThatSaysNothingIsGivenUpButLeftToRestore) {
  KeeperCommand silent = command("silent");
  silent.start_timeout_s = 0.05;
  EXPECT_EQ(start_error(silent),
            "cannot lock the clocks of GPU-1: '" + silent.worker + "' was not ready within 0.05 s");
  EXPECT_EQ(diary(), "end\n");
}

TEST_F(ClockKeeperTest, WhatTheKeeperCannotRestoreIsTold) {
  ClockKeeper keeper(command("stuck"));
  EXPECT_EQ(keeper.release(), "cannot restore the SM clock: GPU is lost");
}

TEST_F(ClockKeeperTest, AKeeperThatWasKilledIsToldWithWhatToDo) {
  ClockKeeper keeper(command("killed"));
  EXPECT_EQ(keeper.release(),
            "the process that restores the clocks ended too early: it was killed by signal 9 "
            "(SIGKILL); the clocks of GPU-1 may still be locked: as root, nvidia-smi -i GPU-1 -rgc "
            "restores them, and so does the next run with --lock-clocks");
}

TEST_F(ClockKeeperTest, AMarkerThatNobodyHoldsIsALockLeftBehind) {
  const std::string marker = folder_ + "/GPU-1.clock";
  EXPECT_FALSE(clock_left_locked("GPU-1", folder_));
  std::ofstream(marker) << "";
  EXPECT_FALSE(clock_left_locked("GPU-1", folder_));
  std::ofstream(marker) << "process 7";
  EXPECT_EQ(clock_left_locked("GPU-1", folder_), "process 7");
  EXPECT_FALSE(clock_left_locked("GPU-2", folder_));

  const Descriptor holder(open(marker.c_str(), O_RDWR | O_CLOEXEC));
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  ASSERT_EQ(fcntl(holder.get(), F_OFD_SETLK, &whole), 0);
  EXPECT_FALSE(clock_left_locked("GPU-1", folder_));
}

}  // namespace
}  // namespace plumbline
