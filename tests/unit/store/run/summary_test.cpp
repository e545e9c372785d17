#include "store/run/summary.h"

#include <gtest/gtest.h>

#include "store/run/run_reader.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

TEST(Summary, IsWrittenWhenARunFinishesAndSaysWhatItsRowsSay) {
  const TemporaryFolder folder;
  plumbline::Run run = synthetic_run({.cases = 4, .metrics = 2});
  run.rows[0].flags = {"bimodal", "trend"};
  run.rows[0].throttle = "power_cap";
  run.rows[0].temperature_c = 71;
  run.rows[0].block_causes = {"", "thermal", ""};
  run.info.calibration = {{"copy_bytes_per_s", 4e12}, {"matmul_float16_flops_per_s", 8e14}};
  write_run(run, folder / "run");
  const Summary summary = read_summary(folder / "run");
  const std::vector<CaseSummary> expected = summarize(run);
  ASSERT_EQ(summary.rows.size(), expected.size());
  EXPECT_EQ(summary.info.finished_at, run.info.finished_at);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const CaseSummary &found = summary.rows[i], &wanted = expected[i];
    EXPECT_EQ(found.case_id, wanted.case_id);
    EXPECT_EQ(found.metric, wanted.metric);
    EXPECT_EQ(found.estimate, wanted.estimate);
    EXPECT_EQ(found.low, wanted.low);
    EXPECT_EQ(found.high, wanted.high);
    EXPECT_TRUE(same(found.launch_mad, wanted.launch_mad));
    EXPECT_TRUE(same(found.block_sd, wanted.block_sd));
    EXPECT_TRUE(same(found.visit_sd, wanted.visit_sd));
    EXPECT_EQ(found.flags, wanted.flags);
    EXPECT_EQ(found.set_aside, i == 0 ? 1u : 0u);
    EXPECT_EQ(found.flops_per_s, wanted.flops_per_s);
    EXPECT_EQ(found.bytes_per_s, wanted.bytes_per_s);
    EXPECT_EQ(found.percent_of_peak, wanted.percent_of_peak);
    EXPECT_GT(found.percent_of_peak, 0);
    EXPECT_EQ(found.rounds, 3u);
    EXPECT_EQ(found.visit_means, wanted.visit_means);
    EXPECT_EQ(found.visit_means.size(), 3u);
    EXPECT_TRUE(same(found.tail, wanted.tail));
    EXPECT_EQ(found.samples, wanted.samples);
    EXPECT_EQ(found.temperature_c, i == 0 ? 71 : 41);
    EXPECT_EQ(found.power_w, 312.5);
    EXPECT_EQ(found.clock_hz, wanted.clock_hz);
    EXPECT_EQ(found.throttle, i == 0 ? "power_cap" : "");
  }
}

TEST(Summary, AbsentIntervalsStayAbsent) {
  const TemporaryFolder folder;
  write_run(synthetic_run({.cases = 2, .rounds = 1}), folder / "run");
  const Summary summary = read_summary(folder / "run");
  ASSERT_EQ(summary.rows.size(), 2u);
  EXPECT_FALSE(summary.rows[0].low.has_value());
  EXPECT_TRUE(std::isnan(summary.rows[0].visit_sd));
}

TEST(Summary, AMissingOrStaleOneIsRefusedAndCanBeMadeAgain) {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  plumbline::Run run = synthetic_run({.cases = 3, .rounds = 1});
  run.info.finished_at.clear();
  {
    RunWriter writer(path, run.info);
    writer.append_visit(std::span(run.rows).first(1));
    EXPECT_THROW(read_summary(path), StaleSummary);
    write_summary(read_run(path));
    EXPECT_EQ(read_summary(path).rows.size(), 1u);
    writer.append_visit(std::span(run.rows).subspan(1, 1));
    EXPECT_THROW(read_summary(path), StaleSummary);
    write_summary(read_run(path));
    EXPECT_EQ(read_summary(path).rows.size(), 2u);
    writer.finish("2026-01-01T01:00:00Z");
  }
  EXPECT_EQ(read_summary(path).rows.size(), 2u);
  write_file(path + "/results.csv", file_text(path + "/results.csv") + "\n");
  EXPECT_THROW(read_summary(path), StaleSummary);
}

TEST(Summary, ATornOneIsAnError) {
  const TemporaryFolder folder;
  write_run(synthetic_run({.cases = 3}), folder / "run");
  const std::string path = folder / "run/summary.csv";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_THROW(read_summary(folder / "run"), Error);
}

}  // namespace
}  // namespace plumbline
