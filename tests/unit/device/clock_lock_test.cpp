#include "device/cuda/nvml/clock_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "core/error.h"

namespace plumbline::cuda {
namespace {

/// A GPU that records what is done to its clock.
class ClockLockTest : public testing::Test {
 protected:
  ClockLockTest() {
    char folder[] = "/tmp/plumbline-test-XXXXXX";
    folder_ = mkdtemp(folder);
    marker_ = folder_ + "/GPU-1.clock";
  }
  ~ClockLockTest() override { std::filesystem::remove_all(folder_); }

  ClockControls controls() {
    return {[this](unsigned mhz) {
              diary_ += "lock " + std::to_string(mhz) + " [" + marker_text() + "]; ";
              return lock_refusal_;
            },
            [this] {
              diary_ += "unlock; ";
              return unlock_refusal_;
            },
            [this] { return clock_hz_; },
            [this](double seconds) {
              waited_s_ += seconds;
              if (waited_s_ > 0.095) clock_hz_ = later_hz_;
            }};
  }
  std::unique_ptr<ClockLock> lock(unsigned mhz = 1500) {
    return std::make_unique<ClockLock>(controls(), mhz, marker_, "process 7");
  }
  std::string error_of_lock() {
    try {
      lock();
    } catch (const Error& error) {
      return error.what();
    }
    return "locked";
  }
  std::string marker_text() const {
    std::ifstream file(marker_);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void leave_behind(const std::string& words) { std::ofstream(marker_) << words; }

  std::string folder_, marker_, diary_, lock_refusal_, unlock_refusal_;
  double clock_hz_ = 345e6, later_hz_ = 1.5e9, waited_s_ = 0;
};

TEST_F(ClockLockTest, IsMarkedBeforeItLocksAndRestoresWhenItEnds) {
  {
    const auto held = lock();
    EXPECT_EQ(diary_, "lock 1500 [process 7]; ");
    EXPECT_EQ(held->left_behind(), "");
  }
  EXPECT_EQ(diary_, "lock 1500 [process 7]; unlock; ");
  EXPECT_EQ(marker_text(), "");
}

TEST_F(ClockLockTest, RestoresOnce) {
  {
    const auto held = lock();
    EXPECT_EQ(held->restore(), "");
    EXPECT_EQ(held->restore(), "");
    EXPECT_EQ(marker_text(), "");
  }
  EXPECT_EQ(diary_, "lock 1500 [process 7]; unlock; ");
}

TEST_F(ClockLockTest, ARefusalSaysWhyAndLeavesNothingBehind) {
  lock_refusal_ = "Insufficient Permissions";
  const std::string error = error_of_lock();
  EXPECT_TRUE(
      error.starts_with("cannot lock the SM clock: Insufficient Permissions; it takes root"))
      << error;
  EXPECT_EQ(diary_, "lock 1500 [process 7]; ");
  EXPECT_EQ(marker_text(), "");
}

TEST_F(ClockLockTest, WhatWasLeftBehindIsRestoredFirst) {
  leave_behind("process 6");
  const auto held = lock();
  EXPECT_EQ(diary_, "unlock; lock 1500 [process 7]; ");
  EXPECT_EQ(held->left_behind(), "process 6");
}

TEST_F(ClockLockTest, WhatWasLeftBehindAndCannotBeRestoredStaysMarked) {
  leave_behind("process 6");
  unlock_refusal_ = "Insufficient Permissions";
  const std::string error = error_of_lock();
  EXPECT_TRUE(
      error.starts_with("the SM clock was left locked by process 6 and cannot be restored: "
                        "Insufficient Permissions; "))
      << error;
  EXPECT_EQ(diary_, "unlock; ");
  EXPECT_EQ(marker_text(), "process 6");
}

TEST_F(ClockLockTest, WhatCannotBeRestoredStaysMarkedAndIsTriedAgain) {
  {
    const auto held = lock();
    unlock_refusal_ = "GPU is lost";
    EXPECT_EQ(held->restore(), "GPU is lost");
    EXPECT_EQ(marker_text(), "process 7");
    unlock_refusal_ = "";
  }
  EXPECT_EQ(diary_, "lock 1500 [process 7]; unlock; unlock; ");
  EXPECT_EQ(marker_text(), "");
}

TEST_F(ClockLockTest, ASecondHolderIsRefusedAndTouchesNothing) {
  const auto held = lock();
  const std::string error = error_of_lock();
  EXPECT_TRUE(error.starts_with("another process keeps the clocks of this GPU locked")) << error;
  EXPECT_EQ(diary_, "lock 1500 [process 7]; ");
  EXPECT_EQ(marker_text(), "process 7");
}

TEST_F(ClockLockTest, ALockWhoseProcessWasKilledIsLeftBehind) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto held = lock();
    (void)!write(ready[1], "x", 1);
    while (true) pause();
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(lock()->left_behind(), "process 7");
  close(ready[0]);
  close(ready[1]);
}

TEST_F(ClockLockTest, TheMarkerIsForAllUsersWhateverTheUmask) {
  const mode_t before = umask(077);
  const auto held = lock();
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(marker_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0666u);
}

TEST_F(ClockLockTest, WithoutAMarkerNothingIsLocked) {
  marker_ = folder_ + "/no/such/folder";
  EXPECT_NE(error_of_lock().find("'" + marker_ + "'"), std::string::npos);
  EXPECT_EQ(diary_, "");
}

TEST_F(ClockLockTest, TheClockIsReadOnceItIsWhereItWasAskedToBe) {
  EXPECT_EQ(lock(1500)->settled_clock_hz(), 1.5e9);
  EXPECT_NEAR(waited_s_, 0.1, 1e-9);
}

TEST_F(ClockLockTest, AClockThatNeverGetsThereIsReadAfterASecond) {
  later_hz_ = 1.2e9;
  EXPECT_EQ(lock(1500)->settled_clock_hz(), 1.2e9);
  EXPECT_NEAR(waited_s_, 1, 1e-9);
}

TEST_F(ClockLockTest, AnUnknownClockIsNotWaitedFor) {
  clock_hz_ = std::nan("");
  EXPECT_TRUE(std::isnan(lock(0)->settled_clock_hz()));
  EXPECT_EQ(waited_s_, 0);
}

TEST(ParseClock, BaseAndMegahertzAreClocksAndNothingElseIs) {
  EXPECT_EQ(parse_clock("base"), 0u);
  EXPECT_EQ(parse_clock("1500"), 1500u);
  for (const char* wrong : {"", "0", "-5", "1500MHz", "1.5", "999999999999", "max"})
    EXPECT_THROW(parse_clock(wrong), Error) << wrong;
}

}  // namespace
}  // namespace plumbline::cuda
