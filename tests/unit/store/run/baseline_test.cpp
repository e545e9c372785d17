#include "store/run/baseline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "analysis/estimate/estimate.h"
#include "core/error.h"
#include "core/run/case.h"
#include "store/csv/columns.h"
#include "store/file.h"
#include "store/run/accepted_runs.h"
#include "store/run/baseline_row.h"
#include "store/run/locate.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"
#include "support/places.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"
#include "unit/store/run/accepted_fixture.h"

namespace plumbline {
namespace {

using namespace accepted;

TEST(Baseline, GivesTheSameEstimatesAsTheFullRunToSevenDigits) {
  Fixture fixture;
  const plumbline::Run run = fixture.on_disk(
      synthetic_run({.cases = 20, .metrics = 2, .rounds = 3, .blocks = 5, .samples = 8}));
  const std::vector<AcceptedSuite> accepted = accept(run, fixture.baselines, kAcceptance);
  ASSERT_EQ(accepted.size(), 1u);
  EXPECT_EQ(accepted[0].cases, 20u);
  EXPECT_EQ(accepted[0].path, fixture.csv);
  const plumbline::Run baseline = read_run(fixture.csv);
  ASSERT_EQ(baseline.rows.size(), run.rows.size());
  for (const ResultRow& row : baseline.rows) EXPECT_EQ(row.samples.values().size(), 1u);
  const std::vector<CaseSummary> full = summarize(run), small = summarize(baseline);
  ASSERT_EQ(full.size(), small.size());
  for (const CaseSummary& one : full) {
    const auto other = std::ranges::find_if(small, [&](const CaseSummary& candidate) {
      return candidate.case_id == one.case_id && candidate.metric == one.metric;
    });
    ASSERT_NE(other, small.end());
    EXPECT_NEAR(other->estimate / one.estimate, 1, 1e-6);
    EXPECT_NEAR(other->visit_sd, one.visit_sd, 1e-6);
    EXPECT_NEAR(other->block_sd / one.block_sd, 1, 5e-3);  // three digits
    EXPECT_EQ(other->blocks, one.blocks);
    EXPECT_EQ(other->rounds, 3u);
  }
}

TEST(Baseline, HoldsWhoWhyAndTheHashOfTheFullResults) {
  Fixture fixture;
  const plumbline::Run run = fixture.on_disk(synthetic_run({.cases = 2}));
  accept(run, fixture.baselines, kAcceptance);
  const plumbline::Run baseline = read_run(fixture.csv);
  ASSERT_TRUE(baseline.info.acceptance.has_value());
  EXPECT_EQ(baseline.info.acceptance->by, "Ada");
  EXPECT_EQ(baseline.info.acceptance->why, "first one");
  EXPECT_EQ(baseline.info.acceptance->source_hash, hash_of_file(run.path + "/results.csv").text());
  EXPECT_EQ(baseline.info.environment, run.info.environment);
  EXPECT_EQ(baseline.info.started_at, run.info.started_at);
}

TEST(Baseline, KeepsWhatWasSetAsideTheTailsAndWhatExplains) {
  Fixture fixture;
  plumbline::Run made = synthetic_run({.cases = 2, .rounds = 2, .blocks = 30});
  for (ResultRow& row : made.rows) {
    row.block_causes.assign(30, "");
    row.block_causes[0] = "thermal";
    row.throttle = "power_cap";
    row.flags = {"trend"};
  }
  made.info.calibration = {{"copy_bytes_per_s", 4e12}};
  const plumbline::Run run = fixture.on_disk(made);
  accept(run, fixture.baselines, kAcceptance);
  const plumbline::Run baseline = read_run(fixture.csv);
  ASSERT_EQ(baseline.rows.size(), 4u);
  const std::vector<CaseSummary> small = summarize(baseline), full = summarize(run);
  EXPECT_NEAR(small[0].estimate / full[1].estimate, 1, 1e-6);  // sorted by case
  EXPECT_EQ(small[0].set_aside, 2u);
  EXPECT_EQ(small[0].blocks, 58u);
  EXPECT_GT(full[1].tail, 0);
  EXPECT_NEAR(small[0].tail, full[1].tail, 1e-4);
  EXPECT_EQ(small[0].flags, full[1].flags);
  EXPECT_EQ(baseline.rows[0].kernels, made.rows[0].kernels);
  EXPECT_EQ(baseline.rows[0].throttle, "power_cap");
  EXPECT_NEAR(baseline.rows[0].block_clocks_hz.at(0), made.rows[0].block_clocks_hz[0], 1e6);
  EXPECT_EQ(baseline.info.calibration, made.info.calibration);
}

TEST(Baseline, IsReadByCsvJsonOrBareName) {
  Fixture fixture;
  accept(fixture.on_disk(synthetic_run({.cases = 2})), fixture.baselines, kAcceptance);
  for (const char* end : {"synthetic.csv", "synthetic.json", "synthetic"}) {
    const plumbline::Run baseline = read_run(fixture.baselines + "/nvidia-h200/" + end);
    EXPECT_EQ(baseline.rows.size(), 6u) << end;
    EXPECT_EQ(baseline.path, fixture.csv);
  }
}

TEST(Baseline, IsReadInARunDirectoryToo) {
  Fixture fixture;
  const plumbline::Run run =
      fixture.on_disk(synthetic_run({.cases = 3, .metrics = 2, .rounds = 2}));
  accept(run, fixture.baselines, kAcceptance);
  const std::string copy = fixture.folder / "copy";
  std::filesystem::create_directory(copy);
  std::filesystem::copy_file(fixture.csv, copy + "/results.csv");
  std::filesystem::copy_file(fixture.baselines + "/nvidia-h200/synthetic.json", copy + "/run.json");
  const plumbline::Run read = read_run(copy);
  EXPECT_EQ(read.rows.size(), run.rows.size());
  EXPECT_EQ(read.path, copy);
  EXPECT_EQ(read.warnings, std::vector<std::string>{});
}

TEST(Baseline, AWholeRunDropsCasesThatAreGone) {
  Fixture fixture;
  accept(fixture.on_disk(synthetic_run({.cases = 5})), fixture.baselines, kAcceptance);
  plumbline::Run fewer = synthetic_run({.cases = 5});
  keep_cases(fewer, 0, 4, 5);
  const auto accepted =
      accept(fixture.on_disk(fewer), fixture.baselines, kAcceptance, {Unmeasured::drop});
  EXPECT_EQ(accepted[0].dropped.size(), 1u);
  EXPECT_EQ(read_run(fixture.csv).rows.size(), 12u);
}

TEST(Baseline, AcceptingTheSameRunTwiceChangesNoByte) {
  Fixture fixture;
  const plumbline::Run run = fixture.on_disk(synthetic_run({.cases = 5}));
  EXPECT_EQ(accept(run, fixture.baselines, kAcceptance)[0].replaced, "");
  const std::string csv = file_text(fixture.csv);
  const auto again = accept(run, fixture.baselines, kAcceptance);
  EXPECT_EQ(again[0].runs, 1u);
  EXPECT_EQ(file_text(fixture.csv), csv);
  EXPECT_TRUE(again[0].kept.empty());
}

TEST(Baseline, KeepsFailedCasesWithTheirStatusAndLeavesOutInterruptedOnes) {
  Fixture fixture;
  plumbline::Run run = synthetic_run({.cases = 3, .rounds = 1});
  for (const auto& [i, status] :
       {std::pair(0, Status::crashed), std::pair(2, Status::interrupted)}) {
    ResultRow& row = run.rows[std::size_t(i)];
    row.status = status;
    row.reason = "signal 11";
    row.metric = row.unit = "";
    row.samples = {};
    row.block_times_s = row.block_clocks_hz = {};
  }
  const auto accepted = accept(fixture.on_disk(run), fixture.baselines, kAcceptance);
  EXPECT_EQ(accepted[0].cases, 1u);
  EXPECT_EQ(accepted[0].not_ok,
            (std::vector<std::string>{run.rows[0].case_id + ": CRASHED round 0: signal 11"}));
  EXPECT_EQ(accepted[0].left_out,
            (std::vector<std::string>{run.rows[2].case_id + ": INTERRUPTED signal 11"}));
  const plumbline::Run baseline = read_run(fixture.csv);
  ASSERT_EQ(baseline.rows.size(), 2u);
  EXPECT_EQ(std::ranges::count(baseline.rows, Status::crashed, &ResultRow::status), 1);
}

TEST(Baseline, RunsThatCannotBeABaselineAreRefusedAndNothingIsWritten) {
  Fixture fixture;
  plumbline::Run unfinished = synthetic_run({.cases = 1});
  unfinished.info.finished_at = "";
  EXPECT_EQ(fixture.error_of(fixture.on_disk(unfinished)),
            "DIR/run0: found an unfinished run, expected a finished one; finish it with `plumbline "
            "run --resume` first");
  plumbline::Run failed = synthetic_run({.cases = 1, .rounds = 1});
  failed.rows[0].status = Status::timeout;
  failed.rows[0].samples = {};
  failed.rows[0].block_times_s = failed.rows[0].block_clocks_hz = {};
  EXPECT_EQ(fixture.error_of(fixture.on_disk(failed)),
            "DIR/run1: found no case with samples, expected at least one; a run without results "
            "cannot be a baseline");
  plumbline::Run nowhere = synthetic_run({.cases = 1});
  nowhere.info.environment.device_class = "";
  EXPECT_EQ(fixture.error_of(fixture.on_disk(nowhere)),
            "the device class is unknown, expected a name with letters or digits; baselines are "
            "kept by device class");
  EXPECT_FALSE(std::filesystem::exists(fixture.baselines));
}

plumbline::Run run_of_class(const std::string& device_class, const std::string& commit) {
  plumbline::Run run = synthetic_run({.cases = 2});
  run.info.environment.commit = commit;
  run.info.environment.device_kind = "cuda";
  run.info.environment.device_model = "NVIDIA H200";
  run.info.environment.device_class = device_class;
  return run;
}

TEST(Baseline, ClassesOfOneModelAreKeptSideBySide) {
  Fixture fixture;
  const std::pair<const char*, std::string> classes[] = {
      {"NVIDIA H200, 700 W, ECC on", "nvidia-h200"},
      {"NVIDIA H200, 500 W, ECC on", "nvidia-h200-500-w-ecc-on"},
      {"NVIDIA H200", "nvidia-h200-" + stable_hash_text("NVIDIA H200")},
      {"NVIDIA H200, 500 W, ECC-on",
       "nvidia-h200-500-w-ecc-on-" + stable_hash_text("NVIDIA H200, 500 W, ECC-on")}};
  const auto commit = [](int again, int i) { return std::to_string(10 * again + i); };
  for (int again = 0; again < 2; ++again)
    for (int i = 0; i < 4; ++i) {
      const auto& [device_class, folder] = classes[i];
      const plumbline::Run run = fixture.on_disk(run_of_class(device_class, commit(again, i)));
      const auto accepted = accept(run, fixture.baselines, kAcceptance);
      EXPECT_EQ(accepted[0].path, fixture.baselines + "/" + folder + "/synthetic.csv");
      EXPECT_EQ(accepted[0].runs, 1u) << device_class << ", the same results again";
      EXPECT_EQ(accepted[0].notes.size(), i == 0 ? 0u : 1u) << "why another folder";
    }
  for (int i = 0; i < 4; ++i) {
    const plumbline::Run run = run_of_class(classes[i].first, "");
    const auto found = find_baseline(fixture.baselines, run.info.environment, "synthetic");
    ASSERT_TRUE(found.has_value()) << classes[i].first;
    const plumbline::Run baseline = read_run(*found);
    EXPECT_EQ(baseline.info.environment.device_class, classes[i].first);
    EXPECT_EQ(baseline.info.environment.commit, commit(1, i));
    EXPECT_FALSE(find_baseline(fixture.baselines, run.info.environment, "nightly"));
  }
}

TEST(Baseline, AFolderHoldsOneClassWhateverTheSuite) {
  Fixture fixture;
  accept(fixture.on_disk(run_of_class("NVIDIA H200, 700 W, ECC on", "1")), fixture.baselines,
         kAcceptance);
  plumbline::Run other = run_of_class("NVIDIA H200, 500 W, ECC on", "2");
  for (ResultRow& row : other.rows) row.suite = "other";
  const auto accepted = accept(fixture.on_disk(other), fixture.baselines, kAcceptance);
  EXPECT_EQ(accepted[0].path, fixture.baselines + "/nvidia-h200-500-w-ecc-on/other.csv");
}

TEST(Baseline, AnUnreadableOneOfAnotherClassIsInNobodysWay) {
  Fixture fixture;
  const auto device = [](const char* device_class) { return run_of_class(device_class, "1"); };
  const plumbline::Run first = device("NVIDIA H200, 700 W, ECC on");
  const plumbline::Run second = device("NVIDIA H200, 500 W, ECC on");
  for (const auto* run : {&first, &second})
    accept(fixture.on_disk(*run), fixture.baselines, kAcceptance);
  const std::string broken = fixture.baselines + "/nvidia-h200/synthetic.json";
  std::ofstream(broken) << "<<<<<<<";
  EXPECT_EQ(find_baseline(fixture.baselines, second.info.environment, "synthetic"),
            fixture.baselines + "/nvidia-h200-500-w-ecc-on/synthetic.csv");
  try {
    find_baseline(fixture.baselines, first.info.environment, "synthetic");
    ADD_FAILURE() << "taken for a device without a baseline";
  } catch (const plumbline::Error& error) {
    EXPECT_NE(std::string(error.what()).find(broken), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("restore the file"), std::string::npos);
  }
}

TEST(Baseline, AnEarlierOneOfAnotherClassOrMeasurementIsNotMixedIn) {
  Fixture fixture;
  plumbline::Run other = run_of_class("NVIDIA H200, 700 W, ECC on", "1");
  accept(fixture.on_disk(other), fixture.baselines, kAcceptance);
  const std::string before = file_text(fixture.csv);
  other.info.measurement_revision = kMeasurementRevision + 1;
  keep_cases(other, 0, 1, 2);
  EXPECT_EQ(fixture.error_of(fixture.on_disk(other)),
            "DIR/baselines/nvidia-h200/synthetic.csv: found cases that the run did not measure, of "
            "measurement revision " +
                std::to_string(kMeasurementRevision) + ", expected " +
                std::to_string(kMeasurementRevision + 1) +
                " as in the run; accept a run of the whole suite");
  EXPECT_EQ(file_text(fixture.csv), before);
  EXPECT_EQ(fixture.error_of(read_run(fixture.csv)),
            "DIR/baselines/nvidia-h200/synthetic.csv: found a baseline, expected a run; it was "
            "accepted already");
  // A folder with two classes, as people may leave it.
  plumbline::Run mixed = run_of_class("NVIDIA H200, 500 W, ECC on", "2");
  for (ResultRow& row : mixed.rows) row.suite = "other";
  accept(fixture.on_disk(mixed), fixture.folder / "elsewhere", kAcceptance);
  for (const char* end : {".csv", ".json"})
    std::filesystem::rename(fixture.folder / "elsewhere/nvidia-h200/other" + end,
                            fixture.baselines + "/nvidia-h200/other" + end);
  EXPECT_EQ(fixture.error_of(fixture.on_disk(run_of_class("NVIDIA H200, 500 W, ECC on", "3"))),
            "DIR/baselines/nvidia-h200/synthetic.csv: found a baseline of device class 'NVIDIA "
            "H200, 700 W, ECC on', expected 'NVIDIA H200, 500 W, ECC on' as of others in its "
            "folder; move the baselines of that class to the folder nvidia-h200-700-w-ecc-on-" +
                stable_hash_text("NVIDIA H200, 700 W, ECC on") + " beside it");
  EXPECT_EQ(file_text(fixture.csv), before);
}

TEST(Baseline, ASuiteWhoseNameIsTooLongForAFileIsRefusedWithTheLimit) {
  Fixture fixture;
  plumbline::Run run = synthetic_run({.cases = 1, .rounds = 1});
  run.rows[0].suite = std::string(300, 's');
  const plumbline::Run written = fixture.on_disk(run);
  EXPECT_EQ(fixture.error_of(written),
            "DIR/run0/results.csv: found a suite whose name takes 300 bytes as a file's, '" +
                std::string(60, 's') +
                "…', expected at most 200: its baseline is a file of that name; give it a shorter "
                "one");
  EXPECT_FALSE(find_baseline(fixture.baselines, run.info.environment, run.rows[0].suite));
  run.rows[0].suite = std::string(200, 's');
  EXPECT_EQ(fixture.error_of(fixture.on_disk(run)), "no error");
}

TEST(Baseline, IsFoundByDeviceClassAndSuite) {
  Fixture fixture;
  const plumbline::Run run = fixture.on_disk(synthetic_run({.cases = 1}));
  EXPECT_FALSE(find_baseline(fixture.baselines, run.info.environment, "synthetic"));
  accept(run, fixture.baselines, kAcceptance);
  EXPECT_EQ(find_baseline(fixture.baselines, run.info.environment, "synthetic"), fixture.csv);
  EXPECT_FALSE(find_baseline(fixture.baselines, run.info.environment, "nightly"));
  Environment other = run.info.environment;
  other.device_model = other.device_class = "NVIDIA A100";
  EXPECT_FALSE(find_baseline(fixture.baselines, other, "synthetic"));
}

TEST(Baseline, ASuiteNameNeverLeavesTheFolder) {
  Fixture fixture;
  plumbline::Run run = synthetic_run({.cases = 1, .rounds = 1});
  run.rows[0].suite = "../../etc/x y";
  const auto accepted = accept(fixture.on_disk(run), fixture.baselines, kAcceptance);
  EXPECT_EQ(accepted[0].path, fixture.baselines + "/nvidia-h200/%2E.%2F..%2Fetc%2Fx%20y.csv");
  EXPECT_EQ(read_run(accepted[0].path).rows[0].suite, "../../etc/x y");
}

TEST(Baseline, TheReadmeOfTheStoreHoldsTheTable) {
  const std::string readme = file_text(source_dir() / "harness/store/README.md");
  const std::string table = markdown_of(baseline_columns());
  EXPECT_NE(readme.find(table), std::string::npos) << "expected there:\n" << table;
}

TEST(Baseline, ATornOneIsAnError) {
  Fixture fixture;
  accept(fixture.on_disk(synthetic_run({.cases = 2})), fixture.baselines, kAcceptance);
  std::filesystem::resize_file(fixture.csv, std::filesystem::file_size(fixture.csv) - 3);
  EXPECT_THROW(read_run(fixture.csv), Error);
}

}  // namespace
}  // namespace plumbline
