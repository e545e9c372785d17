#include "support/scratch_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <fstream>

namespace plumbline {
namespace {

/// A process that has made a folder of that name, put a file into it, and waits.
class Holder {
 public:
  explicit Holder(const std::string& name) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) {
      const ScratchFolder folder(name);
      std::ofstream(folder.path() + "/file") << "x";
      const std::string path = folder.path() + '\n';
      if (write(ends[1], path.data(), path.size()) < 0) _exit(1);
      while (true) pause();
    }
    close(ends[1]);
    for (char letter; read(ends[0], &letter, 1) == 1 && letter != '\n';) path_ += letter;
    close(ends[0]);
  }
  ~Holder() {
    end();
    std::filesystem::remove_all(path_);
  }
  void end() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    process_ = 0;
  }
  const std::string& path() const { return path_; }

 private:
  pid_t process_ = 0;
  std::string path_;
};

TEST(ScratchFolder, IsRemovedAtItsEnd) {
  std::string path;
  {
    const ScratchFolder folder("test");
    path = folder.path();
    EXPECT_TRUE(std::filesystem::is_directory(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ScratchFolder, OfAKilledProgramIsRemovedByTheNextOne) {
  Holder killed("test");
  ASSERT_TRUE(std::filesystem::exists(killed.path() + "/file"));
  killed.end();
  ASSERT_TRUE(std::filesystem::exists(killed.path()));
  const ScratchFolder next("test");
  EXPECT_FALSE(std::filesystem::exists(killed.path()));
  EXPECT_TRUE(std::filesystem::exists(next.path()));
}

TEST(ScratchFolder, OfALivingProgramOrOfAnotherNameStays) {
  const Holder living("test");
  Holder other("testother");
  other.end();
  const ScratchFolder next("test");
  EXPECT_TRUE(std::filesystem::exists(living.path() + "/file"));
  EXPECT_TRUE(std::filesystem::exists(other.path()));
  const ScratchFolder cleans("testother");
  EXPECT_FALSE(std::filesystem::exists(other.path()));
}

}  // namespace
}  // namespace plumbline
