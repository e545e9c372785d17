#include "workflow/sides/build_record.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace plumbline {
namespace {

using Names = std::vector<std::string>;

class BuildRecordTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"TURNS", "GITHUB_RUN_ID"}) unsetenv(name);
  }
};

TEST_F(BuildRecordTest, NamesTheVariablesThatDifferButNotThoseOfAShellOrAJob) {
  setenv("TURNS", "1", 1);
  const std::string before = build_record("/r", "make");
  EXPECT_EQ(differences(before, build_record("/r", "make")), Names{});
  setenv("GITHUB_RUN_ID", "17", 1);
  EXPECT_EQ(differences(before, build_record("/r", "make")), Names{});
  setenv("TURNS", "2", 1);
  EXPECT_EQ(differences(before, build_record("/r", "make")), Names{"variable TURNS"});
  unsetenv("TURNS");
  EXPECT_EQ(differences(before, build_record("/r", "make")), Names{"variable TURNS"});
}

TEST_F(BuildRecordTest, ASecretIsNotInIt) {
  setenv("TURNS", "a secret", 1);
  EXPECT_EQ(build_record("/r", "make").find("a secret"), std::string::npos);
}

TEST_F(BuildRecordTest, WithoutACommandTheEnvironmentDoesNotMatter) {
  const std::string before = build_record("", "");
  setenv("TURNS", "2", 1);
  EXPECT_EQ(differences(before, build_record("", "")), Names{});
  EXPECT_EQ(differences(build_record("/r", "make"), build_record("/r", "make -j")),
            Names{"the build command"});
}

}  // namespace
}  // namespace plumbline
