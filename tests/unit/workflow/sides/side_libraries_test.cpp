#include "workflow/sides/side_libraries.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/error.h"
#include "store/file.h"
#include "workflow/scratch_folder.h"
#include "workflow/setup/linked_libraries.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// This program stands for a worker: it links libc.so.6.
class SideLibraries : public testing::Test {
 protected:
  std::string folder_with(const std::string& name) const {
    const std::string folder = scratch_.path() + "/" + name + ".d";
    fs::create_directories(folder);
    write_atomically(folder + "/" + name, "not a library");
    return folder;
  }
  static std::string worker() { return fs::read_symlink("/proc/self/exe").string(); }

  /// The message of the error.
  static std::string refusal(const std::string& folder) {
    try {
      with_libraries("--b-libs", {folder}, worker(), {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  ScratchFolder scratch_;
};

TEST_F(SideLibraries, WithoutFoldersNothingIsSet) {
  EXPECT_EQ(with_libraries("--a-libs", {}, worker(), {{"A", "1"}}),
            (EnvironmentVariables{{"A", "1"}}));
}

TEST_F(SideLibraries, ThatTheWorkerLinksComeFirst) {
  const std::string folder = folder_with("libc.so.6");
  write_atomically(folder + "/libother.so.1", "not linked");
  const auto variables =
      with_libraries("--b-libs", {folder}, worker(), {{"LD_PRELOAD", "libx.so"}, {"A", "1"}});
  const std::string whole = fs::canonical(folder).string();
  EXPECT_EQ(variables.at("LD_PRELOAD"), whole + "/libc.so.6:libx.so");
  EXPECT_TRUE(variables.at("LD_LIBRARY_PATH").starts_with(whole));
  EXPECT_EQ(variables.at("A"), "1");
}

TEST_F(SideLibraries, AFolderThatWouldChangeNothingIsAMistake) {
  EXPECT_EQ(refusal("/nowhere"), "--b-libs /nowhere: there is no such folder");
  const std::string strange = folder_with("libstrange.so.7");
  EXPECT_NE(refusal(strange).find("the worker links none of its libraries (libstrange.so.7)"),
            std::string::npos)
      << refusal(strange);
  EXPECT_NE(refusal(folder_with("notes.txt")).find("it holds no library"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
