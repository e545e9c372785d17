#include "workflow/cleaning/trash.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "support/run_files.h"
#include "workflow/setup/git.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

class TrashTest : public testing::Test {
 protected:
  /// A repository with a worktree in the root, as a checkout of a revision is.
  void SetUp() override {
    fs::create_directories(root_ + "/trees");
    fs::create_directories(repository_);
    git({"init", "--quiet"});
    git({"-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "--allow-empty", "-m",
         "x"});
    git({"worktree", "add", "--quiet", "--detach", tree_});
    git({"worktree", "add", "--quiet", "--detach", folder_ / "other"});
  }

  void git(const std::vector<std::string>& words) { ASSERT_EQ(run_git(repository_, words), ""); }

  std::string worktrees() const {
    return git_text(repository_, {"worktree", "list", "--porcelain"});
  }

  TemporaryFolder folder_;
  std::string root_ = fs::canonical(folder_.path()).string() + "/cache";
  std::string repository_ = folder_ / "repository", tree_ = root_ + "/trees/0123";
};

TEST_F(TrashTest, ACheckoutIsTakenOutOfItsRepository) {
  Trash trash(root_);
  trash.take(tree_);
  EXPECT_FALSE(fs::exists(tree_));
  EXPECT_TRUE(has_trash(root_));
  trash.empty();
  EXPECT_FALSE(has_trash(root_));
  EXPECT_EQ(worktrees().find("0123"), std::string::npos) << worktrees();
  EXPECT_NE(worktrees().find("/other"), std::string::npos) << worktrees();
}

TEST_F(TrashTest, WhatAKilledCommandLeftIsFinishedByTheNext) {
  Trash(root_).take(tree_);  // and was killed
  Trash(root_).empty();
  EXPECT_FALSE(fs::exists(root_ + "/.plumbline-gc"));
  EXPECT_EQ(worktrees().find("0123"), std::string::npos) << worktrees();
}

TEST_F(TrashTest, ACheckoutThatWasMadeAgainMeanwhileStays) {
  Trash(root_).take(tree_);
  git({"worktree", "add", "--force", "--quiet", "--detach", tree_});
  Trash(root_).empty();
  EXPECT_NE(worktrees().find("0123"), std::string::npos) << worktrees();
  EXPECT_TRUE(fs::exists(tree_ + "/.git"));
}

TEST_F(TrashTest, LinksAreDeletedAndNotFollowed) {
  write_file(folder_ / "precious", "x");
  fs::create_directory(folder_ / "folder");
  write_file(folder_ / "folder/precious", "x");
  fs::create_directory(root_ + "/run");
  fs::create_symlink(folder_ / "precious", root_ + "/run/file");
  fs::create_directory_symlink(folder_ / "folder", root_ + "/run/folder");
  Trash trash(root_);
  trash.take(root_ + "/run");
  trash.empty();
  EXPECT_TRUE(fs::exists(folder_ / "precious"));
  EXPECT_TRUE(fs::exists(folder_ / "folder/precious"));
}

TEST_F(TrashTest, ATrashThatIsALinkIsRefused) {
  fs::create_directory(folder_ / "folder");
  write_file(folder_ / "folder/precious", "x");
  fs::create_directory_symlink(folder_ / "folder", root_ + "/.plumbline-gc");
  EXPECT_FALSE(has_trash(root_));
  EXPECT_THROW(Trash{root_}, Error);
  EXPECT_TRUE(fs::exists(folder_ / "folder/precious"));
}

TEST_F(TrashTest, OneCommandAtATime) {
  const Trash first(root_);
  EXPECT_THROW(Trash{root_}, Error);
}

}  // namespace
}  // namespace plumbline
