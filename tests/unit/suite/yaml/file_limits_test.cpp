#include "suite/yaml/file_limits.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// home/secret, tree/own, tree/home/secret, tree/.git/secret, and links that lead around.
class FileLimitsTest : public testing::Test {
 protected:
  FileLimitsTest() {
    std::string name = (fs::temp_directory_path() / "plumbline-limits-XXXXXX").string();
    root_ = fs::canonical(mkdtemp(name.data()));
    for (const char* file :
         {"home/secret", "tree/own", "tree/home/secret", "tree/.git/secret", "tree-2/secret"}) {
      fs::create_directories((root_ / file).parent_path());
      std::ofstream(root_ / file) << "text";
    }
    fs::create_directories(root_ / "tree/one/two");
    fs::create_symlink(root_ / "home", root_ / "tree/link");
    fs::create_symlink("one/two", root_ / "tree/trick");
    fs::create_symlink("self", root_ / "tree/self");
    file_.limits = std::make_shared<const FileLimits>(
        FileLimits{{(root_ / "tree").string()}, {(root_ / "tree/.git").string()}});
  }
  ~FileLimitsTest() override { fs::remove_all(root_); }

  std::string mistake(const std::string& path) const {
    return naming_mistake(file_, root_ / "tree" / path);
  }

  fs::path root_;
  YamlFile file_{"suite.yaml", "", true, nullptr};
};

TEST_F(FileLimitsTest, AFileOfTheTreeMayBeNamed) {
  for (const char* path : {"own", "./own", "one/../own", "home/secret", "not-there", "trick", ""})
    EXPECT_EQ(mistake(path), "") << path;
}

TEST_F(FileLimitsTest, NothingLeadsOutOfIt) {
  for (const char* path :
       {"../home/secret", "link", "link/secret", "link/not-there", "../tree-2/secret", "..",
        ".git/secret", ".git", "self", "one/../../home/secret"})
    EXPECT_NE(mistake(path), "") << path;
  EXPECT_NE(naming_mistake(file_, "/proc/self/root" + (root_ / "home/secret").string()), "");
  EXPECT_NE(naming_mistake(file_, "/etc/passwd"), "");
}

// Followed first, the link leads to tree/home/secret; as text, `..` leads to home/secret.
TEST_F(FileLimitsTest, APathThatCanBeReadInTwoWaysMustStayInsideInBoth) {
  EXPECT_NE(mistake("trick/../../home/secret"), "");
  EXPECT_NE(mistake("trick/../../../home/secret"), "");
}

TEST_F(FileLimitsTest, WithoutThemEveryFileMayBeNamed) {
  file_.limits = nullptr;
  EXPECT_EQ(mistake("../home/secret"), "");
}

}  // namespace
}  // namespace plumbline
