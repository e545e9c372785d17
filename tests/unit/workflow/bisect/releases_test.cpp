/// A script stands for Python and its pip: it prints what pip 23 prints.
#include "workflow/bisect/releases.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/error.h"
#include "store/file.h"
#include "support/kept_talk.h"
#include "workflow/scratch_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListing =
    "thing (1.10.0)\nAvailable versions: 1.10.0, 1.9.1, 1.9.0, 1.2.0\n  INSTALLED: 1.9.0\n";

class ReleasesTest : public testing::Test {
 protected:
  ReleasesTest() {
    environments_.python = scratch_.path() + "/python";
    answer(kListing, 0);
  }

  /// What pip prints on its output and with which exit code it ends.
  void answer(const std::string& text, int code) {
    write_atomically(scratch_.path() + "/answer", text);
    write_atomically(environments_.python, "#!/bin/sh\necho \"$*\" >" + scratch_.path() +
                                               "/asked\ncat " + scratch_.path() +
                                               "/answer\necho 'ERROR: pip is sorry' >&2\nexit " +
                                               std::to_string(code) + "\n");
    fs::permissions(environments_.python, fs::perms::owner_all);
  }

  std::vector<std::string> between(const std::string& good, const std::string& bad) {
    std::vector<std::string> sides;
    for (const Version& version : releases_between(environments_, good, bad, talk_))
      sides.push_back(version.side);
    return sides;
  }

  std::string mistake(const std::string& good, const std::string& bad) {
    try {
      between(good, bad);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  ScratchFolder scratch_;
  EnvironmentRequest environments_;
  KeptTalk talk_;
};

TEST_F(ReleasesTest, come_in_the_order_of_their_versions) {
  EXPECT_EQ(versions_listed_by_pip(kListing),
            (std::vector<std::string>{"1.2.0", "1.9.0", "1.9.1", "1.10.0"}));
  EXPECT_TRUE(versions_listed_by_pip("ERROR: No matching distribution").empty());
}

TEST_F(ReleasesTest, lie_between_two_of_a_package_and_the_other_packages_stay) {
  EXPECT_EQ(between("torch==2.11.0 thing==1.9.0", "torch==2.11.0 thing==1.10.0"),
            (std::vector<std::string>{"torch==2.11.0 thing==1.9.0", "torch==2.11.0 thing==1.9.1",
                                      "torch==2.11.0 thing==1.10.0"}));
  const std::string asked = read_text(scratch_.path() + "/asked");
  EXPECT_TRUE(asked.starts_with("-I -m pip index versions thing ")) << asked;
}

TEST_F(ReleasesTest, go_backwards_if_the_newer_one_is_good) {
  EXPECT_EQ(between("thing==1.9.1", "thing==1.2.0"),
            (std::vector<std::string>{"thing==1.9.1", "thing==1.9.0", "thing==1.2.0"}));
}

TEST_F(ReleasesTest, need_requirements_that_differ_in_one_version) {
  for (const auto& [good, bad] :
       {std::pair("thing==1.2.0", "thing==1.2.0"), std::pair("thing==1.2.0", "other==1.2.0"),
        std::pair("thing==1.2.0", "main"), std::pair("main", "thing==1.2.0"),
        std::pair("thing==1.2.0", "thing==1.9.0 torch==2.11.0"),
        std::pair("a==1 thing==1.2.0", "a==2 thing==1.9.0")})
    EXPECT_NE(mistake(good, bad).find("expected the same packages"), std::string::npos)
        << good << " and " << bad;
}

TEST_F(ReleasesTest, that_pip_does_not_find_are_named) {
  EXPECT_EQ(mistake("thing==1.9.0", "thing==1.11.0"),
            "pip finds no release 1.11.0 of thing; it finds 1.2.0, 1.9.0, 1.9.1, 1.10.0");
  answer("", 1);
  EXPECT_NE(mistake("thing==1.9.0", "thing==1.10.0").find("names no releases: ERROR: pip is sorry"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
