#include "store/index/history.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

class HistoryOfAFolder : public testing::Test {
 protected:
  void night(const std::string& name, const std::string& started_at, std::uint64_t seed) {
    plumbline::Run run =
        synthetic_run({.cases = 2, .rounds = 2, .blocks = 2, .samples = 2, .seed = seed});
    run.info.started_at = started_at;
    write_run(run, folder_ / name);
  }

  TemporaryFolder folder_;
};

TEST_F(HistoryOfAFolder, HasARunOnceHoweverOftenItWasCopied) {
  night("monday", "2026-11-23T02:00:00Z", 1);
  night("tuesday", "2026-11-24T02:00:00Z", 2);
  fs::copy(folder_ / "tuesday", folder_ / "tuesday.bak", fs::copy_options::recursive);
  const HistoryFolder found = read_history(folder_.path());
  ASSERT_EQ(found.runs.size(), 2u);
  EXPECT_EQ(found.runs[1].run.path, folder_ / "tuesday");
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes[0],
            folder_ / "tuesday.bak" + " is a copy of " + folder_ / "tuesday" + " and is left out");
}

TEST_F(HistoryOfAFolder, HasAllRunsThatStartInOneSecond) {
  night("a", "2026-11-23T02:00:00Z", 1);
  night("b", "2026-11-23T02:00:00Z", 2);
  const HistoryFolder found = read_history(folder_.path());
  EXPECT_EQ(found.runs.size(), 2u);
  EXPECT_TRUE(found.notes.empty());
}

TEST_F(HistoryOfAFolder, HasTheSameMeasurementOfAnotherTime) {
  night("a", "2026-11-23T02:00:00Z", 1);
  night("b", "2026-11-24T02:00:00Z", 1);
  EXPECT_EQ(read_history(folder_.path()).runs.size(), 2u);
}

TEST_F(HistoryOfAFolder, KnowsACopyOfARunThatNobodySealed) {
  night("a", "2026-11-23T02:00:00Z", 1);
  auto json = nlohmann::json::parse(file_text(folder_ / "a/run.json"));
  ASSERT_EQ(json.erase("results"), 1u);
  write_file(folder_ / "a/run.json", json.dump());
  fs::copy(folder_ / "a", folder_ / "b", fs::copy_options::recursive);
  const HistoryFolder found = read_history(folder_.path());
  EXPECT_EQ(found.runs.size(), 1u);
  EXPECT_EQ(found.notes.size(), 1u);
}

}  // namespace
}  // namespace plumbline
