#include "workflow/shards/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/compare/compare.h"
#include "core/error.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"
#include "store/run/summary.h"
#include "store/verdict/comparison_json.h"
#include "support/kept_talk.h"
#include "support/run_files.h"
#include "support/sharded_run.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr SyntheticShape kShape{.cases = 12, .metrics = 2, .rounds = 3};

struct Night {
  TemporaryFolder folder;
  KeptTalk talk;
  plumbline::Run whole = run_with_cases(kShape);
  std::vector<std::string> paths;
  std::string output = folder / "merged";

  explicit Night(std::size_t shards = 3) { paths = write_shards(whole, shards, folder / "night"); }

  MergeOutcome merge(std::vector<std::string> inputs, bool allows_missing = false) {
    return merge_shards({std::move(inputs), output, allows_missing}, talk);
  }
  std::string mistake(std::vector<std::string> inputs) {
    try {
      merge(std::move(inputs));
    } catch (const Error& error) {
      EXPECT_FALSE(fs::exists(output));
      EXPECT_FALSE(fs::exists(folder / ".merged.merging"));
      return error.what();
    }
    return "no mistake";
  }
  /// Writes shard `index` anew after `change`.
  template <class Change>
  void rewrite(std::size_t index, const Change& change) {
    Run shard = shard_of(whole, index, paths.size());
    change(shard);
    fs::remove_all(paths[index - 1]);
    write_run(shard, paths[index - 1]);
  }
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The comparison's JSON without the two runs' own records.
std::string verdicts(const Run& baseline, Run candidate, const TemporaryFolder& folder) {
  candidate.path = "candidate";
  Comparison comparison = compare(baseline, candidate, default_rule("cuda"));
  comparison.candidate = {};
  write_comparison(comparison, folder / "comparison.json");
  return file_text(folder / "comparison.json");
}

TEST(Merge, MergedEqualsUnshardedVerdictByVerdict) {
  Night night;
  SyntheticShape before = kShape;
  before.seed = 2;
  plumbline::Run baseline = run_with_cases(before);
  for (ResultRow& row : baseline.rows)  // case 5 was faster then
    if (row.case_id == night.whole.info.suites[0].cases[5]) {
      SampleSet faster;
      for (std::size_t b = 0; b < row.samples.blocks(); ++b) {
        std::vector<double> block(row.samples.block(b).begin(), row.samples.block(b).end());
        for (double& sample : block) sample *= 0.9;
        faster.add_block(block);
      }
      row.samples = faster;
    }
  write_run(night.whole, night.folder / "whole");
  night.merge({night.folder / "night"});
  const plumbline::Run whole = read_run(night.folder / "whole"), merged = read_run(night.output);
  EXPECT_EQ(merged.rows.size(), whole.rows.size());
  EXPECT_TRUE(merged.warnings.empty());
  const std::string text = verdicts(baseline, whole, night.folder);
  EXPECT_TRUE(holds(text, "LOOKS_SLOWER") || holds(text, "SLOWER")) << text.substr(0, 2000);
  EXPECT_EQ(text, verdicts(baseline, merged, night.folder));
}

TEST(Merge, TheRecordIsThatOfTheWholeRun) {
  Night night;
  const MergeOutcome outcome = night.merge({night.folder / "night"});
  EXPECT_EQ(outcome.shards, 3u);
  EXPECT_EQ(outcome.cases, 12u);
  const RunInfo info = read_run_json(night.output + "/run.json").info;
  EXPECT_EQ(info.suites[0].cases, night.whole.info.suites[0].cases) << "as declared";
  EXPECT_TRUE(info.suites[0].positions.empty());
  EXPECT_EQ(info.command, night.whole.info.command);
  EXPECT_EQ(info.shard, "");
  EXPECT_EQ(info.environment, night.whole.info.environment);
  ASSERT_EQ(info.shards.size(), 3u);
  EXPECT_EQ(info.shards[2].shard, "3/3");
  EXPECT_EQ(info.shards[2].folder, "s3");
  EXPECT_EQ(read_summary(night.output).rows.size(), 24u);
}

TEST(Merge, TheOrderOfTheArgumentsChangesNoByte) {
  Night night;
  night.merge(night.paths);
  std::vector<std::string> texts;
  for (const char* file : {"/run.json", "/results.csv", "/summary.csv"})
    texts.push_back(file_text(night.output + file));
  fs::remove_all(night.output);
  std::ranges::reverse(night.paths);
  night.paths.push_back(night.folder / "night");  // each once
  night.merge(night.paths);
  std::size_t i = 0;
  for (const char* file : {"/run.json", "/results.csv", "/summary.csv"})
    EXPECT_EQ(file_text(night.output + file), texts[i++]) << file;
}

TEST(Merge, ASummaryMadeAgainIsTheSame) {
  Night night;
  night.rewrite(2, [](plumbline::Run& shard) {
    shard.info.calibration = {{"copy_bytes_per_s", 1e12}};
    shard.info.environment.device_uuids = {"GPU-2"};
    for (ResultRow& row : shard.rows) row.device = "GPU-2";
  });
  night.merge(night.paths);
  const std::string text = file_text(night.output + "/summary.csv");
  write_summary(read_run(night.output));
  EXPECT_EQ(file_text(night.output + "/summary.csv"), text);
}

TEST(Merge, MergingAgainChangesNothingAndAnotherRunIsNotOverwritten) {
  Night night;
  EXPECT_FALSE(night.merge(night.paths).was_there);
  const auto written = fs::last_write_time(night.output + "/run.json");
  EXPECT_TRUE(night.merge(night.paths).was_there);
  EXPECT_EQ(fs::last_write_time(night.output + "/run.json"), written);
  night.rewrite(1, [](plumbline::Run& shard) { shard.info.finished_at = "2026-01-01T02:00:00Z"; });
  EXPECT_THROW(night.merge(night.paths), Error);
  EXPECT_EQ(fs::last_write_time(night.output + "/run.json"), written);
}

TEST(Merge, AllThatIsWrongIsNamedAtOnce) {
  Night night(6);
  night.rewrite(1, [](plumbline::Run& shard) { shard.info.environment.commit = "another"; });
  fs::remove_all(night.paths[1]);
  night.rewrite(3, [](plumbline::Run& shard) { shard.info.finished_at.clear(); });
  write_run(shard_of(night.whole, 4, 6), night.folder / "night/again");
  night.rewrite(5, [&](plumbline::Run& shard) {
    shard.rows.push_back(shard_of(night.whole, 6, 6).rows.front());
    shard.rows.back().parts = 1;
    shard.info.policy.rounds = 5;
  });
  const std::string text = night.mistake({night.folder / "night", night.folder / "nothing"});
  for (const char* part : {"commit", "'another' in", "2/6", "shard 3/6 is not finished",
                           "plumbline run synthetic.yaml --shard 3/6 -o", "--resume",
                           "shard 4/6 is there twice", "night/again", "\"rounds\":5",
                           "a case that another shard has", "nothing: there is nothing"})
    EXPECT_TRUE(holds(text, part)) << part << " in\n" << text;
}

TEST(Merge, ShardsOfOtherSuitesWorkersClassesAndDivisionsAreNamed) {
  Night night;
  night.rewrite(1, [](plumbline::Run& shard) { shard.info.suites[0].hash = "feed"; });
  night.rewrite(2, [](plumbline::Run& shard) {
    shard.info.environment.worker_hash = "beef";
    shard.info.environment.device_class = "NVIDIA H100";
    shard.info.balanced_by = "0a0a";
    shard.info.measurement_revision = 3;
  });
  night.rewrite(3, [](plumbline::Run& shard) { shard.info.shard = "3/4"; });
  const std::string text = night.mistake(night.paths);
  for (const char* part : {"suites", "(hash feed)", "worker program (hash)", "'beef' in",
                           "device class", "'NVIDIA H100' in", "balanced by", "'0a0a'",
                           "measurement revision", "number of shards", "4/4"})
    EXPECT_TRUE(holds(text, part)) << part << " in\n" << text;
}

TEST(Merge, DamagedResultsAreNamed) {
  Night night;
  const std::string torn = night.paths[0] + "/results.csv",
                    changed = night.paths[1] + "/results.csv";
  write_file(torn, file_text(torn).substr(0, fs::file_size(torn) - 5));
  std::string text = file_text(changed);
  text.replace(text.find("41"), 2, "42");
  write_file(changed, text);
  write_file(night.paths[2] + "/run.json", "{\"format\": 1");
  const std::string mistake = night.mistake(night.paths);
  for (const char* part :
       {"s1/results.csv", "the file is damaged", "s2/results.csv", "changed since", "s3/run.json"})
    EXPECT_TRUE(holds(mistake, part)) << part << " in\n" << mistake;
}

TEST(Merge, ACaseWithoutAResultIsNamed) {
  Night night;
  const std::string lost = night.whole.info.suites[0].cases[4];
  night.rewrite(2, [&](plumbline::Run& shard) {
    std::erase_if(shard.rows, [&](const ResultRow& row) { return row.case_id == lost; });
  });
  const std::string text = night.mistake(night.paths);
  EXPECT_TRUE(holds(text, "s2: found a case without a result: " + lost)) << text;
}

TEST(Merge, ACaseInNoShardIsCounted) {
  Night night;
  for (std::size_t i = 1; i <= 3; ++i)
    night.rewrite(i, [](plumbline::Run& shard) { shard.info.selected_cases = 13; });
  EXPECT_TRUE(holds(night.mistake(night.paths), "12 of 13 selected cases"));
}

TEST(Merge, MissingShardsMayBeLeftOutAndTheirCasesAreThenMissing) {
  Night night;
  fs::remove_all(night.paths[0]);
  night.rewrite(2, [](plumbline::Run& shard) { shard.info.finished_at.clear(); });
  const MergeOutcome outcome = night.merge({night.folder / "night"}, true);
  EXPECT_EQ(outcome.missing, (std::vector<std::string>{"1/3", "2/3"}));
  ASSERT_FALSE(night.talk.told.empty());
  EXPECT_TRUE(holds(night.talk.told[0], "shard 2/3 is not finished"));
  const Comparison comparison = compare(night.whole, read_run(night.output), default_rule("cuda"));
  const auto missing = std::ranges::count(comparison.findings, Verdict::missing, &Finding::verdict);
  EXPECT_EQ(missing, 16) << "8 cases with 2 metrics";
}

TEST(Merge, ARunThatIsNoShardAndAMergedOneAreNamed) {
  Night night;
  write_run(night.whole, night.folder / "night/whole");
  EXPECT_TRUE(
      holds(night.mistake({night.folder / "night"}), "whole: found a run that is no shard"));
  fs::remove_all(night.folder / "night/whole");
  night.output = night.folder / "night/all";
  night.merge({night.folder / "night"});
  EXPECT_TRUE(night.merge({night.folder / "night"}).was_there) << "the output among the shards";
  const std::string merged = night.output;
  night.output = night.folder / "merged";
  EXPECT_TRUE(holds(night.mistake({merged}), "all: found a merged run"));
}

TEST(Merge, DifferentNodesAreKeptByShard) {
  Night night;
  for (std::size_t i = 1; i <= 3; ++i)
    night.rewrite(i, [&](plumbline::Run& shard) {
      shard.info.environment.host = "n" + std::to_string(i);
      shard.info.environment.device_uuids = {"GPU-" + std::to_string(4 - i)};
      shard.info.environment.driver = i == 3 ? "570" : "560";
      shard.info.calibration = {{"copy_bytes_per_s", 1e12 * double(i)}};
    });
  night.merge(night.paths);
  const RunInfo info = read_run_json(night.output + "/run.json").info;
  EXPECT_EQ(info.environment.device_uuids, (std::vector<std::string>{"GPU-1", "GPU-2", "GPU-3"}));
  EXPECT_EQ(info.environment.host, "");
  EXPECT_EQ(info.environment.driver, "");
  EXPECT_EQ(info.environment.commit, "0123456789");
  EXPECT_EQ(info.shards[2].environment,
            (std::map<std::string, std::string>{{"host", "n3"}, {"driver", "570"}}));
  EXPECT_EQ(info.shards[2].device_uuids, std::vector<std::string>{"GPU-1"});
  EXPECT_EQ(info.shards[1].calibration.at("copy_bytes_per_s"), 2e12);
}

TEST(Merge, AFullDiskLeavesNoRunAndTheNextMergeWorks) {
  Night night;
  for (const rlim_t bytes : {8'000u, 100u}) {  // 100: not even the header has room
    const FileSizeLimit full(bytes);
    EXPECT_THROW(night.merge(night.paths), Error);
    EXPECT_FALSE(fs::exists(night.output));
    EXPECT_FALSE(fs::exists(night.folder / ".merged.merging"));
  }
  night.merge(night.paths);
  EXPECT_EQ(read_run(night.output).rows.size(), night.whole.rows.size());
}

TEST(Merge, WhatAKilledMergeLeftIsReplaced) {
  Night night;
  fs::create_directories(night.folder / ".merged.merging");
  write_file(night.folder / ".merged.merging/results.csv", "half");
  fs::create_directories(night.output);  // an empty folder is welcome
  night.merge(night.paths);
  EXPECT_FALSE(fs::exists(night.folder / ".merged.merging"));
  EXPECT_EQ(read_run(night.output).rows.size(), night.whole.rows.size());
}

}  // namespace
}  // namespace plumbline
