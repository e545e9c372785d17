#include "workflow/bundle/contents.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

BundledSide side_with(const std::string& hash) {
  BundledSide side;
  side.suites = {"perf.yaml"};
  side.sources = {{"perf.yaml", "tree", "1"}, {"scale.cu", "tree", hash}};
  side.worker_hash = "w";
  return side;
}

Bundle bundle_of(const BundledSide& a, const BundledSide& b) {
  Bundle bundle;
  bundle.sides = {a, b};
  return bundle;
}

TEST(Contents, SayWhatRuns) {
  BundledSide side = side_with("2");
  side.suites.push_back("suite.py");
  EXPECT_EQ(use_of(side, "perf.yaml"), "a suite, read");
  EXPECT_EQ(use_of(side, "suite.py"), "a suite, run to be read");
  EXPECT_EQ(use_of(side, "lib/libx.so.2"), "a library, loaded and run");
  for (const char* code : {"suite.py", "scale.cu", "a.cubin", "libx.so", "libx.so.1.2", "odd"})
    EXPECT_TRUE(is_code(side, code)) << code;
  for (const char* data : {"perf.yaml", "x.json", "x.npy"})
    EXPECT_FALSE(is_code(side, data)) << data;
}

TEST(Contents, SayWhetherAnythingDiffers) {
  EXPECT_FALSE(are_sides_alike(bundle_of(side_with("2"), side_with("3"))));
  EXPECT_TRUE(are_sides_alike(bundle_of(side_with("2"), side_with("2"))));
  BundledSide other = side_with("2");
  other.hides_variables = true;
  EXPECT_FALSE(are_sides_alike(bundle_of(side_with("2"), other)));
}

TEST(Contents, SayWhatAReplayCannotDo) {
  EXPECT_TRUE(limits_of_replay(bundle_of(side_with("2"), side_with("3"))).empty());
  EXPECT_NE(limits_of_replay(bundle_of(side_with("2"), side_with("2"))).front().find("same files"),
            std::string::npos);
  BundledSide other = side_with("2");
  other.worker_hash = "v";
  EXPECT_NE(limits_of_replay(bundle_of(side_with("2"), other)).front().find("--b-worker"),
            std::string::npos);
  BundledSide hidden = side_with("2");
  hidden.hides_variables = true;
  EXPECT_NE(limits_of_replay(bundle_of(side_with("2"), hidden)).front().find("--b-env"),
            std::string::npos);
  BundledSide less = side_with("3");
  less.absent = {{"libz.so", "1", "it is gone"}};
  EXPECT_NE(limits_of_replay(bundle_of(side_with("2"), less)).front().find("libz.so (it is gone)"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
