// Which machine measured a case, and that only cases of another one pay for it.
#include "analysis/variance/case_machines.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "analysis/compare/compare.h"
#include "analysis/estimate/achieved.h"
#include "analysis/variance/noise_priors.h"
#include "core/run/device_calibration.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

constexpr SyntheticShape kShape{.cases = 24, .rounds = 3};

/// Case i is measured by the device (i + turned) % 3 + 1, a shard each.
Run merged(std::uint64_t seed, std::size_t turned) {
  SyntheticShape shape = kShape;
  shape.seed = seed;
  plumbline::Run run = synthetic_run(shape);
  run.info.environment.device_uuids = {"GPU-1", "GPU-2", "GPU-3"};
  for (int i = 1; i <= 3; ++i) {
    const std::string number = std::to_string(i);
    run.info.shards.push_back({.shard = number + "/3",
                               .folder = "s" + number,
                               .started_at = "",
                               .finished_at = "",
                               .results_hash = "",
                               .device_uuids = {"GPU-" + number},
                               .environment = {{"host", "n" + number}},
                               .calibration = {{"copy_bytes_per_s", double(i)}}});
  }
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    run.rows[i].device = "GPU-" + std::to_string((i % kShape.cases + turned) % 3 + 1);
  return run;
}

/// The width of each case's interval.
std::map<std::string, double> widths(const Comparison& comparison) {
  std::map<std::string, double> found;
  for (const Finding& finding : comparison.findings)
    if (finding.change_low && finding.change_high)
      found[finding.case_id] = *finding.change_high - *finding.change_low;
  return found;
}

TEST(CaseMachines, ADeviceHasTheHostOfItsShard) {
  const plumbline::Run run = merged(1, 0);
  const CaseMachines machines(run.info);
  EXPECT_TRUE(machines.are_several());
  EXPECT_EQ(machines.of("GPU-2").host, "n2");
  EXPECT_EQ(machines.of("GPU-2").device_uuid(), "GPU-2");
  EXPECT_EQ(machines.of("GPU-9").device_uuid(), "GPU-1,GPU-2,GPU-3") << "some of the run's";
}

TEST(CaseMachines, ARunOnOneDeviceIsAsItsRecordSays) {
  plumbline::Run run = synthetic_run(kShape);
  EXPECT_FALSE(CaseMachines(run.info).are_several());
  EXPECT_EQ(CaseMachines(run.info).of("another").device_uuid(), "GPU-1");
  run.info.environment.device_uuids = {"GPU-1", "GPU-2"};
  run.info.environment.host = "n";
  EXPECT_TRUE(CaseMachines(run.info).are_several());
  EXPECT_EQ(CaseMachines(run.info).of("GPU-2").host, "n");
}

TEST(CaseMachines, TwoNodesThatClaimOneUuidAreNotTakenForOne) {
  plumbline::Run run = merged(1, 0);
  run.info.shards[1].device_uuids = {"GPU-1"};
  const Environment both = CaseMachines(run.info).of("GPU-1");
  EXPECT_EQ(both.host, "n1,n2");
  EXPECT_EQ(relation_of(both, CaseMachines(merged(1, 0).info).of("GPU-1")).sameness,
            Sameness::other_machine);
  for (MergedShard& shard : run.info.shards) shard.environment["boot_id"] = "one boot";
  EXPECT_EQ(CaseMachines(run.info).of("GPU-1").host, "n1") << "containers of one machine";
}

TEST(CaseMachines, PeaksAreThoseOfTheDevice) {
  const RunInfo info = merged(1, 0).info;
  EXPECT_EQ(calibration_of(info, "GPU-3").at("copy_bytes_per_s"), 3);
  EXPECT_EQ(calibrated(info, "copy_bytes_per_s", "GPU-3").value, 3);
  EXPECT_TRUE(calibration_of(info, "GPU-9").empty()) << "the run's own";
}

TEST(CaseMachines, CasesOfTheSameDevicesDoNotPay) {
  const Comparison same = compare(merged(1, 0), merged(2, 0), default_rule("cuda"));
  EXPECT_EQ(same.rule.run_sd, noise_prior("cuda", Sameness::same).run_sd);
  for (const std::string& note : same.notes)
    EXPECT_EQ(note.find("measured them"), note.npos) << note;
}

TEST(CaseMachines, OnlyCasesThatAnotherDeviceMeasuredPay) {
  plumbline::Run before = merged(1, 0), now = merged(2, 0);
  std::set<std::string> moved;
  for (ResultRow& row : now.rows)
    if (row.device == "GPU-1") {
      row.device = "GPU-2";
      moved.insert(row.case_id);
    }
  ASSERT_EQ(moved.size(), 8u);
  const Comparison all_same = compare(before, merged(2, 0), default_rule("cuda")),
                   some = compare(before, now, default_rule("cuda"));
  EXPECT_EQ(some.rule.run_sd, noise_prior("cuda", Sameness::same).run_sd);
  const auto narrow = widths(all_same), wide = widths(some);
  for (const auto& [id, width] : wide) {
    if (moved.contains(id))
      EXPECT_GT(width, 1.05 * narrow.at(id)) << id;
    else
      EXPECT_NEAR(width, narrow.at(id), 0.05 * width) << id;
  }
  ASSERT_FALSE(some.notes.empty());
  EXPECT_EQ(some.notes[0],
            "8 of 24 cases × metrics: another device of the same class than in the baseline "
            "measured them, so we assume for them that whole runs differ by 0.3 %, not by 0.25 %.");
}

TEST(CaseMachines, WhereAllCasesMovedAllPay) {
  const Comparison turned = compare(merged(1, 0), merged(2, 1), default_rule("cuda"));
  EXPECT_EQ(turned.rule.run_sd, noise_prior("cuda", Sameness::other_device).run_sd);
  ASSERT_FALSE(turned.notes.empty());
  EXPECT_EQ(turned.notes[0].substr(0, 28), "24 of 24 cases × metrics: a");
}

TEST(CaseMachines, ACaseOfTwoDevicesIsOfNeither) {
  plumbline::Run before = merged(1, 0), now = merged(2, 0);
  for (plumbline::Run* run : {&before, &now})
    run->rows[0].device = "GPU-2";  // its other rounds: GPU-1
  const Comparison found = compare(before, now, default_rule("cuda"));
  ASSERT_FALSE(found.notes.empty());
  EXPECT_EQ(found.notes[0].substr(0, 27), "1 of 24 cases × metrics: a");
}

TEST(CaseMachines, AMergedRunIsComparedWithABaselineOfOneDevice) {
  plumbline::Run before = synthetic_run(kShape);
  for (ResultRow& row : before.rows) row.device = "GPU-1";
  const Comparison found = compare(before, merged(2, 0), default_rule("cuda"));
  ASSERT_FALSE(found.notes.empty());
  EXPECT_EQ(found.notes[0].substr(0, 8), "16 of 24");
}

}  // namespace
}  // namespace plumbline
