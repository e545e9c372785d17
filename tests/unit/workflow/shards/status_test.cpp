#include "workflow/shards/status.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "core/error.h"
#include "core/moment.h"
#include "support/run_files.h"
#include "support/sharded_run.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr SyntheticShape kShape{.cases = 40, .rounds = 3};
constexpr double kStart_s = 1767225600;  // 2026-01-01T00:00:00Z, when the runs begin

/// Shards of a run of 12 visits each; an hour after their start. They are of another machine.
struct Night {
  TemporaryFolder folder;
  Run whole = run_with_cases(kShape);
  StatusMoment moment{kStart_s + 3600, "this boot"};

  std::string path(std::size_t index) const { return folder / ("s" + std::to_string(index)); }

  /// Writes the first `visits` visits of a shard; the last one `quiet_s` ago.
  void begin(std::size_t index, std::size_t visits, double quiet_s, std::size_t count = 10) {
    Run shard = shard_of(whole, index, count);
    shard.info.planned_visits = std::int64_t(shard.rows.size());
    shard.info.environment.boot_id = "its boot";
    shard.info.environment.host = "n" + std::to_string(index);
    const bool is_done = visits == shard.rows.size();
    if (!is_done) shard.info.finished_at.clear();
    shard.rows.resize(visits);
    write_run(shard, path(index));
    const auto at = std::chrono::system_clock::time_point(
        std::chrono::milliseconds(std::int64_t(1000 * (moment.now_s - quiet_s))));
    fs::last_write_time(path(index) + "/results.csv", std::chrono::file_clock::from_sys(at));
  }
  RunStatus status() const { return status_of({folder.path()}, moment); }
};

TEST(Status, EachShardHasItsState) {
  Night night;
  for (std::size_t i = 1; i <= 5; ++i) night.begin(i, 12, 0);
  night.begin(6, 6, 5);
  night.begin(7, 6, 170);               // not long enough to be given up
  night.begin(8, 3, 2000);              // its node is gone
  write_file(night.folder / "s9", "");  // a file is no shard
  fs::create_directories(night.folder / "logs");
  const RunStatus status = night.status();
  ASSERT_EQ(status.parts.size(), 10u);
  EXPECT_EQ(status.count(PartState::done), 5u);
  EXPECT_EQ(status.parts[5].state, PartState::running);
  EXPECT_EQ(status.parts[5].name, "6/10");
  EXPECT_EQ(status.parts[5].visits, 6);
  EXPECT_EQ(status.parts[5].planned, 12);
  EXPECT_EQ(status.parts[5].host, "n6");
  EXPECT_NEAR(*status.parts[5].remaining_s, 3600, 1) << "6 visits an hour";
  EXPECT_EQ(status.parts[7].state, PartState::stopped);
  EXPECT_EQ(status.parts[7].reason,
            "plumbline run synthetic.yaml --shard 8/10 -o " + night.path(8) + " --resume");
  EXPECT_EQ(status.parts[8].state, PartState::not_started);
  EXPECT_EQ(status.parts[9].state, PartState::not_started);
  EXPECT_FALSE(status.remaining_s) << "a stopped shard never ends";
}

TEST(Status, AShardThatIsSilentForLongerThanTheOthersIsSlow) {
  Night night;
  night.moment.now_s = kStart_s + 120;
  night.begin(1, 11, 1);
  night.begin(2, 10, 5);
  night.begin(3, 11, 100);  // silent for ten visits of the others, of 11 s each: not yet
  EXPECT_EQ(night.status().parts[2].state, PartState::running);
  night.begin(4, 11, 119);
  const PartStatus slow = night.status().parts[3];
  EXPECT_EQ(slow.state, PartState::slow);
  EXPECT_EQ(slow.reason, "no visit for 2 min");
}

TEST(Status, AShardThatTakesTwiceAsLongIsSlow) {
  Night night;
  for (std::size_t i = 1; i <= 4; ++i) night.begin(i, 9, 1);
  night.begin(5, 3, 1);
  const PartStatus slow = night.status().parts[4];
  EXPECT_EQ(slow.state, PartState::slow);
  EXPECT_EQ(slow.reason, "takes 3.0 times as long as the others");
}

TEST(Status, TheEndIsThatOfTheLastShardAndOfThoseThatWait) {
  Night night;
  for (std::size_t i = 1; i <= 4; ++i) night.begin(i, 20, 1, 4);  // of 30 visits, in an hour
  EXPECT_NEAR(*night.status().remaining_s, 1800, 1);
  fs::remove_all(night.path(4));  // waits for one of three to end, then takes 5400 s
  EXPECT_NEAR(*night.status().remaining_s, (3 * 1800 + 5400) / 3., 1);
}

TEST(Status, AllDone) {
  Night night;
  for (std::size_t i = 1; i <= 2; ++i) night.begin(i, 60, 0, 2);
  const RunStatus status = night.status();
  EXPECT_EQ(status.count(PartState::done), 2u);
  EXPECT_EQ(status.remaining_s, 0);
}

TEST(Status, OnThisMachineTheLockTellsWhetherAShardIsMeasured) {
  Night night;
  night.moment.boot_id = "its boot";
  night.begin(1, 6, 0, 2);
  EXPECT_EQ(night.status().parts[0].state, PartState::stopped);
  const auto writer = std::make_unique<RunWriter::Resumed>(RunWriter::resume(night.path(1)));
  EXPECT_EQ(night.status().parts[0].state, PartState::running);
}

TEST(Status, FailedCasesAndTornEndsAreCounted) {
  Night night;
  night.whole.rows[0].status = night.whole.rows[40].status = Status::crashed;
  for (const std::size_t i : {0, 40}) {
    night.whole.rows[i].samples = {};
    night.whole.rows[i].block_times_s.clear();
    night.whole.rows[i].block_clocks_hz.clear();
  }
  night.begin(1, 12, 0);
  night.begin(2, 6, 0);
  const std::string results = night.path(2) + "/results.csv";
  write_file(results, file_text(results) + "synthetic,gemm");
  const RunStatus status = night.status();
  EXPECT_EQ(status.parts[0].failed_cases, 1) << "in two rounds";
  EXPECT_EQ(status.parts[1].visits, 6);
}

TEST(Status, AnUnreadableShardIsNamedAndHidesNoOther) {
  Night night;
  night.begin(1, 6, 0, 2);
  night.begin(2, 6, 0, 2);
  write_file(night.path(1) + "/results.csv", "suite,case\n");
  write_file(night.path(2) + "/run.json", "{");
  const RunStatus status = night.status();
  EXPECT_EQ(status.parts[0].state, PartState::unreadable);
  EXPECT_NE(status.parts[0].reason.find("results.csv: header"), std::string::npos);
  ASSERT_EQ(status.notes.size(), 1u);
  EXPECT_NE(status.notes[0].find("s2/run.json"), std::string::npos);
}

TEST(Status, RunsWithoutShardsAreParts) {
  Night night;
  write_run(night.whole, night.folder / "a");
  night.whole.info.finished_at.clear();
  write_run(night.whole, night.folder / "b");
  const RunStatus status = night.status();
  ASSERT_EQ(status.parts.size(), 2u);
  EXPECT_EQ(status.parts[0].name, "a");
  EXPECT_EQ(status.parts[0].state, PartState::done);
  EXPECT_EQ(status.parts[1].planned, 0) << "as an earlier Plumbline began it";
}

TEST(Status, WhatIsNoRunIsAMistake) {
  Night night;
  EXPECT_THROW(night.status(), Error);
  EXPECT_THROW(status_of({night.folder / "nothing"}, night.moment), Error);
  night.begin(1, 6, 0, 2);
  night.begin(2, 6, 0, 3);
  EXPECT_THROW(night.status(), Error) << "of two divisions";
}

}  // namespace
}  // namespace plumbline
