#include <gtest/gtest.h>

#include "store/run/run_reader.h"
#include "store/run/run_writer.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

class RunWorkers : public testing::Test {
 protected:
  RunWorkers() { info_.finished_at.clear(); }
  static WorkerRecord worker(const std::string& name, double floor_s) {
    WorkerRecord record;
    record.name = name;
    record.started_at = "2026-01-01T00:00:00Z";
    record.calibration = {{"event_floor_s", floor_s}};
    record.sentinel_before = {{"spin", 1e-3}};
    return record;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "run";
  RunInfo info_ = synthetic_run({.cases = 1, .rounds = 1}).info;
};

TEST_F(RunWorkers, AreInRunJsonFromTheirStartOnAndOnceEach) {
  RunWriter writer(path_, info_);
  WorkerRecord first = worker("timing-7", 3e-6);
  writer.record_worker(first);
  RunInfo kept = read_run(path_).info;
  ASSERT_EQ(kept.workers.size(), 1u);
  EXPECT_TRUE(kept.workers[0].sentinel_after.empty());
  first.sentinel_after = {{"spin", 2e-3}};
  writer.record_worker(first);
  writer.record_worker(worker("trace-8", 4e-6));
  kept = read_run(path_).info;
  ASSERT_EQ(kept.workers.size(), 2u);
  EXPECT_EQ(kept.workers[0].sentinel_after.at("spin"), 2e-3);
  EXPECT_EQ(kept.workers[1].name, "trace-8");
  EXPECT_EQ(kept.calibration.at("event_floor_s"), 3e-6) << "the first worker's is the run's";
  EXPECT_EQ(kept.finished_at, "");
}

TEST_F(RunWorkers, OfARunThatIsResumedAndFinishedAreAllThere) {
  RunWriter(path_, info_).record_worker(worker("timing-7", 3e-6));
  RunWriter::Resumed resumed = RunWriter::resume(path_);
  WorkerRecord later = worker("timing-7", 4e-6);  // the same number, another process
  later.started_at = "2026-01-02T00:00:00Z";
  resumed.writer.record_worker(later);
  resumed.writer.finish("2026-01-02T01:00:00Z");
  const RunInfo kept = read_run(path_).info;
  ASSERT_EQ(kept.workers.size(), 2u);
  EXPECT_EQ(kept.workers[1].started_at, "2026-01-02T00:00:00Z");
  EXPECT_EQ(kept.calibration.at("event_floor_s"), 3e-6);
}

}  // namespace
}  // namespace plumbline
