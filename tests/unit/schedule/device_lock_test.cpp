#include "schedule/device_lock.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "core/error.h"

namespace plumbline {
namespace {

class DeviceLockTest : public testing::Test {
 protected:
  DeviceLockTest() {
    char folder[] = "/tmp/plumbline-test-XXXXXX";
    root_ = mkdtemp(folder);
    folder_ = root_ + "/locks";
  }
  ~DeviceLockTest() override { std::filesystem::remove_all(root_); }
  std::string root_, folder_;
};

TEST_F(DeviceLockTest, ASecondHolderIsRefusedWithTheNameOfTheFirst) {
  const DeviceLock lock("GPU-1", "'plumbline run quick.yaml' (process 12)", folder_);
  try {
    const DeviceLock second("GPU-1", "another", folder_);
    FAIL() << "taken twice";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "device GPU-1 is in use by 'plumbline run quick.yaml' (process 12); wait for it, "
                 "or choose another with --device");
  }
}

TEST_F(DeviceLockTest, AnotherDeviceIsFree) {
  const DeviceLock lock("GPU-1", "a", folder_);
  EXPECT_NO_THROW(DeviceLock("GPU-2", "b", folder_));
}

TEST_F(DeviceLockTest, AskingForTheHolderTakesNothing) {
  EXPECT_FALSE(lock_holder("GPU-1", folder_));
  const DeviceLock lock("GPU-1", "'plumbline'", folder_);
  ASSERT_TRUE(lock_holder("GPU-1", folder_));
  EXPECT_EQ(lock_holder("GPU-1", folder_)->substr(0, 11), "'plumbline'");
}

TEST_F(DeviceLockTest, TheLockOfADeadHolderIsFree) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const DeviceLock lock("GPU-1", "doomed", folder_);
    (void)!write(ready[1], "x", 1);
    while (true) pause();
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_THROW(DeviceLock("GPU-1", "a", folder_), Error);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(lock_holder("GPU-1", folder_));
  EXPECT_NO_THROW(DeviceLock("GPU-1", "a", folder_));
  close(ready[0]);
  close(ready[1]);
}

TEST_F(DeviceLockTest, FolderAndFileAreForAllUsersWhateverTheUmask) {
  const mode_t before = umask(077);
  const DeviceLock lock("GPU-1", "a", folder_);
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 01777u);
  ASSERT_EQ(stat(lock.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0666u);
}

TEST_F(DeviceLockTest, AFolderThatCannotBeMadeIsNamed) {
  try {
    const DeviceLock lock("GPU-1", "a", "/proc/no/locks");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/proc/no/locks"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("PLUMBLINE_LOCKS"), std::string::npos);
  }
}

}  // namespace
}  // namespace plumbline
