#include "store/shards/case_costs.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

struct Earlier {
  TemporaryFolder folder;
  Run run = synthetic_run({.cases = 3, .metrics = 2, .rounds = 3});
  std::string path = folder / "run";

  std::string mistake() {
    write_run(run, path);
    try {
      read_case_costs(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "no mistake";
  }
};

TEST(CaseCosts, ACaseTakesTheTimeOfItsVisitsWithoutPartsOfPhases) {
  Earlier earlier;
  for (ResultRow& row : earlier.run.rows)
    if (row.case_id == earlier.run.rows[2].case_id)
      row.spent_s = {
          {"launch", 7}, {"load", 7}, {"verify repeats", 7}, {"measure", 2}, {"verify", 1}};
  earlier.run.rows.back().device = earlier.run.rows[earlier.run.rows.size() - 2].device = "GPU-2";
  write_run(earlier.run, earlier.path);
  const RunCosts found = read_case_costs(earlier.path);
  ASSERT_EQ(found.costs.size(), 3u);
  const auto of = [&](std::size_t row) {
    return found.costs.at({"synthetic", earlier.run.rows[row].case_id});
  };
  EXPECT_NEAR(of(0).seconds, 3 * 0.121, 1e-12) << "of two rows in a visit, one counts";
  EXPECT_NEAR(of(2).seconds, 9, 1e-12);
  EXPECT_EQ(of(0).device, earlier.run.rows[0].device);
  EXPECT_EQ(of(4).device, "GPU-2") << "that of the last visit";
  EXPECT_EQ(found.hash, hash_of_file(earlier.path + "/results.csv").text());
}

TEST(CaseCosts, ARunThatMayStillChangeOrHasNoTimesIsRefused) {
  Earlier unfinished;
  unfinished.run.info.finished_at.clear();
  EXPECT_NE(unfinished.mistake().find("not finished"), std::string::npos);
  Earlier timeless;
  for (ResultRow& row : timeless.run.rows) row.spent_s.clear();
  EXPECT_NE(timeless.mistake().find("no case has a time"), std::string::npos);
  EXPECT_THROW(read_case_costs(timeless.folder / "nothing"), Error);
}

}  // namespace
}  // namespace plumbline
