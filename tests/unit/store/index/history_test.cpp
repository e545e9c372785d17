#include "store/index/history.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_files.h"
#include "support/sharded_run.h"
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

/// A night in three shards, which were merged.
class HistoryOfShards : public HistoryOfAFolder {
 protected:
  HistoryOfShards() {
    night("monday", "2026-11-23T02:00:00Z", 1);
    whole_ = run_with_cases({.cases = 6, .rounds = 2, .blocks = 2, .samples = 2, .seed = 2});
    whole_.info.started_at = "2026-11-24T02:00:00Z";
    shards_ = write_shards(whole_, 3, folder_.path());
  }

  /// Names of the runs that count, whether or not there is an index.
  std::vector<std::string> counted() {
    std::vector<std::string> names[2];
    for (const bool is_indexed : {false, true}) {
      const HistoryFolder found =
          read_history(folder_.path(), {}, is_indexed ? IndexUse::always : IndexUse::never);
      for (const RunSummary& run : found.runs)
        names[is_indexed].push_back(fs::path(run.run.path).filename().string());
      if (is_indexed) {
        EXPECT_EQ(found.notes, notes_);
      }
      notes_ = found.notes;
    }
    EXPECT_EQ(names[0], names[1]);
    return names[0];
  }

  plumbline::Run whole_;
  std::vector<std::string> shards_, notes_;
};

using Names = std::vector<std::string>;

TEST_F(HistoryOfShards, HasTheShardsAsLongAsTheyAreNotMerged) {
  EXPECT_EQ(counted(), (Names{"monday", "s1", "s2", "s3"}));
  EXPECT_EQ(notes_, Names{});
}

TEST_F(HistoryOfShards, HasTheMergedRunInsteadOfItsShards) {
  counted();  // an index that knows the shards alone
  write_merged(whole_, shards_, folder_ / "tuesday");
  EXPECT_EQ(counted(), (Names{"monday", "tuesday"}));
  EXPECT_EQ(notes_,
            Names{"3 shards of " + folder_ / "tuesday" + " are left out: that run holds them"});
  fs::remove_all(folder_ / "tuesday");
  EXPECT_EQ(counted(), (Names{"monday", "s1", "s2", "s3"}));
}

TEST_F(HistoryOfShards, HasTheMergedRunInsteadOfCopiesOfItsShards) {
  write_merged(whole_, shards_, folder_ / "a");
  fs::rename(folder_ / "s3", folder_ / "third");
  fs::copy(folder_ / "s1", folder_ / "first", fs::copy_options::recursive);
  EXPECT_EQ(counted(), (Names{"a", "monday"}));
}

TEST_F(HistoryOfShards, HasTheMergedRunWithMostShards) {
  write_merged(whole_, {shards_[0], shards_[1]}, folder_ / "early");
  write_merged(whole_, shards_, folder_ / "late");
  EXPECT_EQ(counted(), (Names{"late", "monday"}));
  ASSERT_EQ(notes_.size(), 2u);
  EXPECT_EQ(notes_[0],
            folder_ / "early" + " is left out: " + folder_ / "late" + " holds all of its shards");
}

TEST_F(HistoryOfShards, HasAShardThatAMergedRunLacks) {
  write_merged(whole_, {shards_[0], shards_[1]}, folder_ / "part");
  EXPECT_EQ(counted(), (Names{"monday", "part", "s3"}));
}

TEST_F(HistoryOfShards, HasAShardThatWasMeasuredAnewSinceTheMerge) {
  write_merged(whole_, shards_, folder_ / "tuesday");
  plumbline::Run anew = shard_of(whole_, 2, 3);
  for (ResultRow& row : anew.rows) row.round += 10;
  fs::remove_all(shards_[1]);
  write_run(anew, shards_[1]);
  EXPECT_EQ(counted(), (Names{"monday", "s2", "tuesday"}));
}

}  // namespace
}  // namespace plumbline
