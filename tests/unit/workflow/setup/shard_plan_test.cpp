#include "workflow/setup/shard_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"
#include "unit/schedule/scripted_world.h"

namespace plumbline {
namespace {

TEST(ShardPlan, ShardsTogetherAreAllCasesAndSayWhatTheyAreOf) {
  std::set<std::string> seen;
  for (int index = 1; index <= 3; ++index) {
    std::vector<Case> cases = make_cases(20);
    RunInfo info;
    info.shard = std::to_string(index) + "/3";
    info.suites = {{"s", "s.yaml", "1"}};
    for (const Case& c : cases) {
      info.suites[0].cases.push_back(c.id);
      info.suites[0].thresholds[c.id] = 0.1;
      info.expected.push_back({"s", c.id, Status::wrong, "", ""});
    }
    const std::vector<std::string> all = info.suites[0].cases;
    record_shard(keep_shard(cases, {info.shard, ""}), cases, info);
    EXPECT_EQ(info.selected_cases, 20);
    const SuiteRef& suite = info.suites[0];
    ASSERT_EQ(suite.cases.size(), cases.size());
    EXPECT_EQ(suite.thresholds.size(), cases.size());
    EXPECT_EQ(info.expected.size(), cases.size());
    for (std::size_t i = 0; i < suite.cases.size(); ++i) {
      EXPECT_EQ(all[std::size_t(suite.positions[i])], suite.cases[i]);
      EXPECT_TRUE(seen.insert(suite.cases[i]).second) << "in one shard alone";
    }
  }
  EXPECT_EQ(seen.size(), 20u);
}

TEST(ShardPlan, ARunWithoutShardsKeepsItsRecord) {
  std::vector<Case> cases = make_cases(4);
  RunInfo info;
  info.suites = {{"s", "s.yaml", "1", {}, {"a", "b"}}};
  record_shard(keep_shard(cases, {}), cases, info);
  EXPECT_EQ(cases.size(), 4u);
  EXPECT_EQ(info.suites[0].cases.size(), 2u);
  EXPECT_TRUE(info.suites[0].positions.empty());
  EXPECT_EQ(info.selected_cases, 4);
}

TEST(ShardPlan, TheTimesOfARunDivideTheCases) {
  TemporaryFolder folder;
  plumbline::Run earlier = synthetic_run({.cases = 9, .rounds = 1});
  for (std::size_t i = 0; i < 9; ++i) {
    earlier.rows[i].suite = "s";
    earlier.rows[i].case_id = make_cases(9)[i].id;
    earlier.rows[i].spent_s = {{"measure", i == 4 ? 8. : 1.}};
    earlier.rows[i].device = "GPU-7";
  }
  write_run(earlier, folder / "run");
  std::vector<Case> first = make_cases(9), second = first;
  const ShardPlan plan = keep_shard(first, {"1/2", folder / "run"});
  keep_shard(second, {"2/2", folder / "run"});
  EXPECT_EQ(std::min(first.size(), second.size()), 1u) << "8 s against 8 × 1 s";
  EXPECT_EQ(plan.balanced_by, hash_of_file(folder / "run/results.csv").text());
  EXPECT_EQ(plan.homes.at({"s", make_cases(9)[0].id}), "GPU-7");
}

TEST(ShardPlan, MistakesAreRefused) {
  std::vector<Case> cases = make_cases(4);
  for (const char* shard : {"0/2", "3/2", "a", "1/5"})
    EXPECT_THROW(keep_shard(cases, {shard, ""}), Error) << shard;
  EXPECT_THROW(keep_shard(cases, {"1/2", "/nothing"}), Error);
}

}  // namespace
}  // namespace plumbline
