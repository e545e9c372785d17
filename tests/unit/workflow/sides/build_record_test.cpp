#include "workflow/sides/build_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace plumbline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class BuildRecordTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"TURNS", "GITHUB_RUN_ID"}) unsetenv(name);
  }
};

TEST_F(BuildRecordTest, NamesTheVariablesThatDifferButNotThoseOfAShellOrAJob) {
  setenv("TURNS", "1", 1);
  const std::string before = build_record("/r", "make");
  EXPECT_THAT(differences(before, build_record("/r", "make")), IsEmpty());
  setenv("GITHUB_RUN_ID", "17", 1);
  EXPECT_THAT(differences(before, build_record("/r", "make")), IsEmpty());
  setenv("TURNS", "2", 1);
  EXPECT_THAT(differences(before, build_record("/r", "make")), ElementsAre("variable TURNS"));
  unsetenv("TURNS");
  EXPECT_THAT(differences(before, build_record("/r", "make")), ElementsAre("variable TURNS"));
}

TEST_F(BuildRecordTest, ASecretIsNotInIt) {
  setenv("TURNS", "a secret", 1);
  EXPECT_EQ(build_record("/r", "make").find("a secret"), std::string::npos);
}

TEST_F(BuildRecordTest, WithoutACommandTheEnvironmentDoesNotMatter) {
  const std::string before = build_record("", "");
  setenv("TURNS", "2", 1);
  EXPECT_THAT(differences(before, build_record("", "")), IsEmpty());
  EXPECT_THAT(differences(build_record("/r", "make"), build_record("/r", "make -j")),
              ElementsAre("the build command"));
}

}  // namespace
}  // namespace plumbline
