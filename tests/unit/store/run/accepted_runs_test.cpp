#include "store/run/accepted_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "analysis/estimate/estimate.h"
#include "store/csv/columns.h"
#include "store/run/run_json.h"
#include "unit/store/run/accepted_fixture.h"

namespace plumbline {
namespace {

using namespace accepted;

TEST(AcceptedRuns, TakesHalfAKilobyteForACaseMetricAndRun) {
  Fixture fixture;
  constexpr SyntheticShape kShape{
      .cases = 50, .metrics = 2, .rounds = 3, .blocks = 24, .samples = 6};
  for (const std::uint64_t seed : {1, 2, 3}) {
    SyntheticShape shape = kShape;
    shape.seed = seed;
    plumbline::Run run = synthetic_run(shape);
    run.info.started_at = "2026-01-0" + std::to_string(seed) + "T00:00:00Z";
    accept(fixture.on_disk(run), fixture.baselines, kAcceptance);
  }
  EXPECT_EQ(read_accepted(fixture.csv).runs.size(), 3u);
  EXPECT_LT(std::filesystem::file_size(fixture.csv) / (50 * 2 * 3), 500u);
}

/// A run on a day and a device; `factor`: on all times.
plumbline::Run run_of(int day, const std::string& device, std::uint64_t seed, std::size_t cases) {
  plumbline::Run run = synthetic_run({.cases = cases, .seed = seed});
  run.info.started_at = "2026-01-0" + std::to_string(day) + "T00:00:00Z";
  run.info.environment.device_uuids = {device};
  for (ResultRow& row : run.rows) row.device = device;
  return run;
}

std::vector<double> values_of(const plumbline::Run& run) {
  std::vector<double> values;
  for (const ResultRow& row : run.rows) values.push_back(row.samples.values().front());
  return values;
}

TEST(AcceptedRuns, ARunIsAddedToThoseAcceptedBefore) {
  Fixture fixture;
  accept(fixture.on_disk(run_of(1, "GPU-a", 1, 4)), fixture.baselines, kAcceptance);
  const auto second =
      accept(fixture.on_disk(run_of(2, "GPU-b", 2, 4)), fixture.baselines, kAcceptance);
  EXPECT_EQ(second[0].replaced, "");
  const auto third =
      accept(fixture.on_disk(run_of(2, "GPU-a", 3, 4)), fixture.baselines, kAcceptance);
  EXPECT_EQ(third[0].runs, 3u);
  EXPECT_EQ(third[0].devices, 2u);
  EXPECT_EQ(third[0].days, 2u);
  const AcceptedRuns accepted = read_accepted(fixture.csv);
  ASSERT_EQ(accepted.runs.size(), 3u);
  EXPECT_EQ(accepted.runs[1].info.environment.device_uuid(), "GPU-b");
  EXPECT_EQ(accepted.runs[1].rows.front().device, "GPU-b");
  EXPECT_EQ(accepted.runs[0].rows.front().kernels, "") << "of the newest alone";
  EXPECT_NE(accepted.runs[2].rows.front().kernels, "");
}

TEST(AcceptedRuns, OfTheCandidatesDeviceTheNewestRunCountsElseTheNewestOfAll) {
  Fixture fixture;
  int day = 1;
  for (const char* device : {"GPU-a", "GPU-a", "GPU-b"}) {
    accept(fixture.on_disk(run_of(day, device, std::uint64_t(day), 3)), fixture.baselines,
           kAcceptance);
    ++day;
  }
  const AcceptedRuns accepted = read_accepted(fixture.csv);
  const auto counting = [&](const char* device) { return baseline_of(accepted, device); };
  EXPECT_EQ(values_of(counting("GPU-a").run), values_of(accepted.runs[1]));
  EXPECT_EQ(counting("GPU-a").run.info.started_at, "2026-01-02T00:00:00Z");
  EXPECT_EQ(counting("GPU-a").others.size(), 2u);
  EXPECT_EQ(values_of(counting("GPU-b").run), values_of(accepted.runs[2]));
  EXPECT_EQ(values_of(counting("GPU-c").run), values_of(accepted.runs[2]));
  EXPECT_EQ(values_of(read_run(fixture.csv)), values_of(accepted.runs[2]));
}

TEST(AcceptedRuns, APartialRunIsNewestForItsCasesAlone) {
  Fixture fixture;
  accept(fixture.on_disk(run_of(1, "GPU-a", 1, 5)), fixture.baselines, kAcceptance);
  const plumbline::Run before = read_run(fixture.csv);
  plumbline::Run partial = run_of(2, "GPU-a", 2, 5);
  partial.info.environment.driver = "999";
  keep_cases(partial, 1, 2, 5);
  const auto accepted = accept(fixture.on_disk(partial), fixture.baselines, kAcceptance);
  ASSERT_EQ(accepted.size(), 1u);
  EXPECT_EQ(accepted[0].cases, 2u);
  EXPECT_EQ(accepted[0].kept.size(), 3u);
  EXPECT_EQ(accepted[0].notes,
            (std::vector<std::string>{
                "driver: kept cases were measured with '', the others with '999'"}));
  const Baseline after = baseline_of(read_accepted(fixture.csv), "GPU-a");
  std::map<std::string, double> was;
  for (const ResultRow& row : before.rows)
    was[row.case_id + std::to_string(row.round)] = row.samples.values().front();
  std::size_t same = 0;
  for (const ResultRow& row : after.run.rows)
    same += was.at(row.case_id + std::to_string(row.round)) == row.samples.values().front();
  EXPECT_EQ(after.run.rows.size(), before.rows.size());
  EXPECT_EQ(same, 9u);
  ASSERT_EQ(after.others.size(), 1u);
  EXPECT_EQ(after.others[0].rows.size(), 6u);
}

TEST(AcceptedRuns, ACaseThatChangedBeginsAnew) {
  Fixture fixture;
  accept(fixture.on_disk(run_of(1, "GPU-a", 1, 4)), fixture.baselines, kAcceptance);
  plumbline::Run next = run_of(2, "GPU-a", 2, 4);
  const std::string revised = next.rows[0].case_id, slower = next.rows[1].case_id;
  for (ResultRow& row : next.rows)
    if (row.case_id == revised) row.revision = "other";
  AcceptOptions options;
  options.changed = {{"synthetic", slower}};
  const auto accepted = accept(fixture.on_disk(next), fixture.baselines, kAcceptance, options);
  std::vector<std::string> anew{revised, slower};
  std::ranges::sort(anew);
  EXPECT_EQ(accepted[0].anew, anew);
  const AcceptedRuns runs = read_accepted(fixture.csv);
  ASSERT_EQ(runs.runs.size(), 2u);
  for (const ResultRow& row : runs.runs[0].rows)
    EXPECT_TRUE(row.case_id != revised && row.case_id != slower) << row.case_id;
  EXPECT_EQ(runs.runs[0].rows.size(), 6u);
}

TEST(AcceptedRuns, ReplacingBeginsAnewAndSaysWhatWas) {
  Fixture fixture;
  accept(fixture.on_disk(run_of(1, "GPU-a", 1, 4)), fixture.baselines, kAcceptance);
  AcceptOptions options;
  options.replaces = true;
  const auto accepted =
      accept(fixture.on_disk(run_of(2, "GPU-a", 2, 4)), fixture.baselines, kAcceptance, options);
  EXPECT_EQ(accepted[0].replaced, "accepted by Ada on 2026-01-02: first one");
  EXPECT_EQ(accepted[0].runs, 1u);
  EXPECT_EQ(read_accepted(fixture.csv).runs.size(), 1u);
}

TEST(AcceptedRuns, TheOldestRunOfTheCommonestDeviceGivesWay) {
  Fixture fixture;
  accept(fixture.on_disk(run_of(1, "GPU-rare", 1, 2)), fixture.baselines, kAcceptance);
  for (std::uint64_t i = 2; i <= kMostAccepted + 2; ++i)
    accept(fixture.on_disk(run_of(2, "GPU-a", i, 2)), fixture.baselines, kAcceptance);
  const AcceptedRuns accepted = read_accepted(fixture.csv);
  EXPECT_EQ(accepted.runs.size(), kMostAccepted);
  EXPECT_EQ(accepted.runs.front().info.environment.device_uuid(), "GPU-rare");
}

TEST(AcceptedRuns, OneOfAnEarlierPlumblineIsReadAndAddedTo) {
  Fixture fixture;
  const plumbline::Run earlier = run_of(1, "GPU-a", 1, 3);
  std::filesystem::create_directories(fixture.baselines + "/nvidia-h200");
  std::string text = header_line();
  for (const ResultRow& row : earlier.rows) append_row(row, text);
  write_file(fixture.csv, text);
  RunFile file{earlier.info};
  file.info.acceptance = Acceptance{"Bob", "long ago", "2026-01-01T00:00:00Z", "1234"};
  write_file(fixture.baselines + "/nvidia-h200/synthetic.json", run_json_text(file));
  EXPECT_EQ(read_accepted(fixture.csv).runs.size(), 1u);
  EXPECT_EQ(read_run(fixture.csv).rows.size(), 9u);
  const auto accepted =
      accept(fixture.on_disk(run_of(2, "GPU-b", 2, 3)), fixture.baselines, kAcceptance);
  EXPECT_EQ(accepted[0].runs, 2u);
  const AcceptedRuns both = read_accepted(fixture.csv);
  EXPECT_EQ(both.runs[0].info.acceptance->by, "Bob");
  const std::vector<CaseSummary> then = summarize(earlier), now = summarize(both.runs[0]);
  ASSERT_EQ(now.size(), then.size());
  const auto same = std::ranges::find(then, now[0].case_id, &CaseSummary::case_id);
  ASSERT_NE(same, then.end());
  EXPECT_NEAR(now[0].estimate / same->estimate, 1, 1e-6);
}

TEST(AcceptedRuns, AnAcceptanceThatWasStoppedBetweenItsTwoFilesIsReadWhole) {
  Fixture fixture;
  const std::string json = fixture.baselines + "/nvidia-h200/synthetic.json";
  accept(fixture.on_disk(run_of(1, "GPU-a", 1, 4)), fixture.baselines, kAcceptance);
  const std::string old_json = file_text(json), old_csv = file_text(fixture.csv);
  const plumbline::Run second = fixture.on_disk(run_of(2, "GPU-b", 2, 4));
  accept(second, fixture.baselines, kAcceptance);
  const std::string new_json = file_text(json), new_csv = file_text(fixture.csv);
  write_file(json + kNextJson, new_json);
  write_file(json, old_json);
  EXPECT_EQ(read_accepted(fixture.csv).runs.size(), 2u) << "the CSV is the new one";
  write_file(fixture.csv, old_csv);
  EXPECT_EQ(read_accepted(fixture.csv).runs.size(), 1u) << "the CSV is the old one";
  accept(second, fixture.baselines, kAcceptance);
  EXPECT_EQ(file_text(json), new_json);
  EXPECT_EQ(file_text(fixture.csv), new_csv);
  EXPECT_FALSE(std::filesystem::exists(json + kNextJson));
}

}  // namespace
}  // namespace plumbline
