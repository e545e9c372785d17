#include "workflow/fleet/fleet_runs.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/fleet/texts.h"
#include "core/error.h"
#include "support/kept_talk.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDevices = 12;

/// A run of one device; number 5 is 6 % slower.
Run device_run(std::size_t device, const std::string& day) {
  Run run = synthetic_run({.cases = 8, .rounds = 3, .seed = device + 17 * day.back()});
  run.info.started_at = day + "T23:30:00Z";
  run.info.finished_at = day + "T23:50:00Z";
  run.info.environment.device_uuids = {"GPU-" + std::to_string(device)};
  run.info.environment.host = "host" + std::to_string(device / 4);
  for (ResultRow& row : run.rows) {
    row.device = run.info.environment.device_uuids[0];
    if (device != 5) continue;
    SampleSet slower;
    for (std::size_t b = 0; b < row.samples.blocks(); ++b) {
      std::vector<double> block(row.samples.block(b).begin(), row.samples.block(b).end());
      for (double& sample : block) sample *= 1.06;
      slower.add_block(block);
    }
    row.samples = slower;
  }
  return run;
}

class FleetRuns : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(runs());
    for (const char* day : {"2026-01-01", "2026-01-02"})
      for (std::size_t device = 0; device < kDevices; ++device)
        write_run(device_run(device, day), runs() + "/" + day + "-" + std::to_string(device));
  }
  std::string runs() const { return folder_ / "runs"; }

  TemporaryFolder folder_;
  KeptTalk talk_;
};

TEST_F(FleetRuns, OfAFolderAreJudgedNightByNight) {
  const FleetReport report = fleet_of_runs({.runs = {runs()}}, talk_);
  EXPECT_EQ(report.fleet.runs, 2 * kDevices);
  ASSERT_EQ(report.fleet.classes.size(), 1U);
  EXPECT_EQ(report.fleet.classes[0].nights, (std::vector<std::string>{"2026-01-01", "2026-01-02"}));
  EXPECT_EQ(fleet_sentence(report.fleet),
            "Outside of their class: 1 device slower, of 12 devices.");
  EXPECT_FALSE(report.decision);
  const std::size_t slow = outside_first(report.fleet).at(0);
  EXPECT_EQ(report.fleet.units[slow].name, "GPU-5");
  EXPECT_EQ(report.fleet.units[slow].worst()->since, "2026-01-01");
  EXPECT_EQ(report.fleet.units[slow].conditions.temperature_c, 41);
}

TEST_F(FleetRuns, ANightGoesFromNoonToNoon) {
  plumbline::Run late = device_run(3, "2026-01-02");
  late.info.started_at = "2026-01-03T04:00:00Z";  // began on the evening of the second
  fs::remove_all(runs() + "/2026-01-02-3");
  write_run(late, runs() + "/late");
  const FleetReport report = fleet_of_runs({.runs = {runs()}}, talk_);
  EXPECT_EQ(report.fleet.classes[0].nights.size(), 2U);
}

TEST_F(FleetRuns, WithoutASummaryTheResultsAreRead) {
  const FleetReport before = fleet_of_runs({.runs = {runs()}}, talk_);
  for (const fs::directory_entry& run : fs::directory_iterator(runs()))
    fs::remove(run.path() / "summary.csv");
  const FleetReport now = fleet_of_runs({.runs = {runs()}}, talk_);
  for (std::size_t i = 0; i < now.fleet.units.size(); ++i)
    EXPECT_NEAR(now.fleet.units[i].worst()->deviation, before.fleet.units[i].worst()->deviation,
                1e-9);
}

TEST_F(FleetRuns, CopiesAndUnfinishedRunsAreLeftOutAndTold) {
  fs::copy(runs() + "/2026-01-01-5", runs() + "/copy", fs::copy_options::recursive);
  plumbline::Run open = device_run(20, "2026-01-02");
  open.info.finished_at.clear();
  write_run(open, runs() + "/open");
  const FleetReport report = fleet_of_runs({.runs = {runs()}}, talk_);
  EXPECT_EQ(report.fleet.runs, 2 * kDevices);
  EXPECT_EQ(talk_.told.size(), 2U);
}

TEST_F(FleetRuns, ByRulesGiveTheNodesToDrain) {
  write_file(folder_ / "rules.yaml",
             "rules:\n  - {slower_than_class: 5%, action: drain}\n"
             "  - {ecc_uncorrected: '> 0', action: drain}\n");
  const FleetReport report =
      fleet_of_runs({.runs = {runs()}, .rules = folder_ / "rules.yaml"}, talk_);
  ASSERT_TRUE(report.decision);
  ASSERT_EQ(report.decision->drained.size(), 1U);
  EXPECT_EQ(report.decision->drained[0].host, "host1");
  EXPECT_EQ(report.decision->unknown.size(), 1U) << "nothing counted errors";
}

TEST_F(FleetRuns, WhatIsNotThereIsAnError) {
  EXPECT_THROW(fleet_of_runs({.runs = {folder_ / "nowhere"}}, talk_), Error);
  fs::create_directories(folder_ / "empty");
  EXPECT_THROW(fleet_of_runs({.runs = {folder_ / "empty"}}, talk_), Error);
  EXPECT_THROW(fleet_of_runs({.runs = {runs()}, .metrics = {"gpu_tim"}}, talk_), Error);
  EXPECT_THROW(fleet_of_runs({.runs = {runs()}, .rules = folder_ / "none.yaml"}, talk_), Error);
}

TEST_F(FleetRuns, PooledNightsAreOne) {
  const FleetReport report = fleet_of_runs({.runs = {runs()}, .pools_nights = true}, talk_);
  EXPECT_EQ(report.fleet.classes[0].nights, std::vector<std::string>{"all"});
  EXPECT_EQ(outside_first(report.fleet).size(), 1U);
}

}  // namespace
}  // namespace plumbline
