// A folder that holds the shards of a run and the run that was merged of them: each case counts
// once.
#include <gtest/gtest.h>

#include "core/run/case.h"
#include "reports/site/site.h"
#include "support/kept_talk.h"
#include "support/run_files.h"
#include "support/sharded_run.h"
#include "workflow/fleet/fleet_runs.h"
#include "workflow/results/past_runs.h"
#include "workflow/results/run_database.h"
#include "workflow/results/site_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// A night in two shards, which are not merged yet.
class MergedRuns : public testing::Test {
 protected:
  MergedRuns() {
    fs::create_directories(runs_);
    shards_ = write_shards(whole_, 2, runs_);
  }

  void merge() const { write_merged(whole_, shards_, runs_ + "/whole"); }
  std::size_t site_runs() {
    return update_site({site_, runs_, folder_ / "baselines", "tests"}, talk_).runs;
  }

  TemporaryFolder folder_;
  const std::string runs_ = folder_ / "runs", site_ = folder_ / "site";
  const plumbline::Run whole_ = run_with_cases({.cases = 4, .rounds = 2});
  std::vector<std::string> shards_;
  KeptTalk talk_;
};

TEST_F(MergedRuns, StandForTheirShardsInTheHistoryOfACase) {
  merge();
  HistoryRequest request{
      .case_id = whole_.rows[0].case_id, .anchor = "", .places = {}, .metrics = {}};
  request.places.runs = runs_;
  const CaseHistory found = history_of_case(request, talk_);
  ASSERT_EQ(found.series.size(), 1u);
  EXPECT_EQ(found.history.series[found.series[0].series].values.size(), 1u);
}

TEST_F(MergedRuns, StandForTheirShardsInASite) {
  EXPECT_EQ(site_runs(), 2u);
  const std::string shard_page = site_ + "/" + commit_page_name(stable_hash_text("s1"));
  EXPECT_TRUE(fs::exists(shard_page));
  merge();
  EXPECT_EQ(site_runs(), 1u);
  EXPECT_FALSE(fs::exists(shard_page));
  const ResultRow& row = whole_.rows[0];
  const std::string page = file_text(site_ + "/" + case_page_name(row.suite, row.case_id));
  EXPECT_NE(page.find(stable_hash_text("whole")), page.npos);
  EXPECT_EQ(page.find(stable_hash_text("s1")), page.npos);
}

TEST_F(MergedRuns, StandForShardsThatOnlyTheSiteRemembers) {
  EXPECT_EQ(site_runs(), 2u);
  merge();
  for (const std::string& shard : shards_) fs::remove_all(shard);
  EXPECT_EQ(site_runs(), 1u);
  EXPECT_EQ(site_runs(), 1u);
}

TEST_F(MergedRuns, StandForTheirShardsInADatabase) {
  EXPECT_EQ(write_run_database(runs_, folder_ / "shards.sqlite", talk_), 2u);
  merge();
  EXPECT_EQ(write_run_database(runs_, folder_ / "runs.sqlite", talk_), 1u);
}

TEST_F(MergedRuns, StandForTheirShardsInAFleet) {
  merge();
  EXPECT_EQ(fleet_of_runs({.runs = {runs_}}, talk_).fleet.runs, 1u);
}

}  // namespace
}  // namespace plumbline
