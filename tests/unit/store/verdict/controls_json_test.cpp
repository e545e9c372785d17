#include "store/verdict/controls_json.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/run_files.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

class Controls : public testing::Test {
 protected:
  Controls() { info_.environment.device_class = "NVIDIA H200"; }

  std::string run(const std::string& name) {
    fs::create_directory(folder_.path() + "/" + name);
    return folder_.path() + "/" + name;
  }
  static SelfCheck check(std::size_t alarms) { return {"so", {0, alarms, 20}, {}, {}, {}}; }

  TemporaryFolder folder_;
  RunInfo info_;
};

TEST_F(Controls, of_earlier_runs_are_found_but_for_the_run_itself) {
  write_controls(check(1), info_, "01", run("monday"));
  write_controls(check(2), info_, "02", run("tuesday"));
  write_controls(check(3), info_, "03", run("wednesday"));
  run("without");
  const EarlierControls found =
      read_controls(folder_.path(), info_, folder_.path() + "/tuesday/", "02");
  ASSERT_EQ(found.checks.size(), 2u);
  EXPECT_EQ(found.checks[0].alarms.seen, 1u);
  EXPECT_EQ(found.checks[1].alarms.seen, 3u);
  EXPECT_EQ(found.checks[1].alarms.cases, 20u);
  EXPECT_TRUE(found.notes.empty());
}

TEST_F(Controls, of_a_run_that_was_copied_count_once) {
  info_.started_at = "2026-11-22T02:00:00Z";
  write_controls(check(1), info_, "1f", run("a"));
  write_controls(check(1), info_, "1f", run("copy of a"));
  write_controls(check(2), info_, "2f", run("in the same second"));
  const EarlierControls found = read_controls(folder_.path(), info_, "", "");
  ASSERT_EQ(found.checks.size(), 2u);
  EXPECT_EQ(found.checks[1].alarms.seen, 2u);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes[0],
            folder_ / "copy of a" + " is a copy of " + folder_ / "a" + " and is left out");
}

TEST_F(Controls, of_a_copy_of_the_run_itself_do_not_count) {
  info_.started_at = "2026-11-22T02:00:00Z";
  write_controls(check(1), info_, "1f", run("copy"));
  EXPECT_TRUE(read_controls(folder_.path(), info_, run("own"), "1f").checks.empty());
  EXPECT_EQ(read_controls(folder_.path(), info_, run("own"), "2f").checks.size(), 1u);
}

TEST_F(Controls, of_runs_whose_results_are_not_known_all_count) {
  write_controls(check(1), info_, "", run("a"));
  write_controls(check(1), info_, "", run("b"));
  EXPECT_EQ(read_controls(folder_.path(), info_, run("own"), "").checks.size(), 2u);
}

TEST_F(Controls, of_other_devices_and_other_metrics_do_not_count) {
  RunInfo other = info_;
  other.environment.device_class = "NVIDIA A100";
  write_controls(check(1), other, "04", run("a"));
  other = info_;
  other.measurement_revision = info_.measurement_revision + 1;
  write_controls(check(1), other, "05", run("b"));
  EXPECT_TRUE(read_controls(folder_.path(), info_, "", "").checks.empty());
}

TEST_F(Controls, a_file_that_cannot_be_read_is_told_and_not_counted) {
  write_controls(check(1), info_, "06", run("a"));
  write_file(run("torn") + "/controls.json", "{\"format\": 1, \"self_");
  write_file(run("wrong") + "/controls.json",
             R"({"format": 1, "device_class": "NVIDIA H200", "measurement_revision": 0,
                 "self_check": {"alarms": {"seen": 3, "cases": 2}}})");
  const EarlierControls found = read_controls(folder_.path(), info_, "", "");
  EXPECT_EQ(found.checks.size(), 1u);
  ASSERT_EQ(found.notes.size(), 2u);
  EXPECT_NE(found.notes[0].find("torn/controls.json"), std::string::npos) << found.notes[0];
  EXPECT_NE(found.notes[1].find("not counted"), std::string::npos);
}

TEST_F(Controls, a_folder_that_is_not_there_holds_none) {
  EXPECT_TRUE(read_controls(folder_.path() + "/none", info_, "", "").checks.empty());
}

}  // namespace
}  // namespace plumbline
