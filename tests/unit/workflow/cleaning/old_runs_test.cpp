#include "workflow/cleaning/old_runs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "core/error.h"
#include "store/file.h"
#include "store/run/run_json.h"
#include "store/shards/merged_writer.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr double kDay = 86400;

class OldRuns : public testing::Test {
 protected:
  OldRuns() {
    for (const char* name : {"runs", "baselines", "project"}) fs::create_directory(folder_ / name);
  }

  std::string runs(const std::string& name) const { return folder_ / ("runs/" + name); }

  /// A run that was measured so many days ago.
  void measure(const std::string& name, int days, bool is_finished = true) {
    plumbline::Run run =
        synthetic_run({.cases = 1, .metrics = 1, .rounds = 1, .blocks = 1, .samples = 1});
    run.info.started_at = "2026-01-" + std::to_string(31 - days) + "T00:00:00Z";
    if (!is_finished) run.info.finished_at.clear();
    write_run(run, runs(name));
    age(name, days);
  }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories(fs::path(folder_ / file).parent_path());
    write_file(folder_ / file, text);
  }

  void age(const std::string& name, int days) {
    const auto time = fs::file_time_type::clock::now() - std::chrono::hours(24 * days);
    for (const auto& entry : fs::recursive_directory_iterator(runs(name)))
      if (!entry.is_symlink()) fs::last_write_time(entry.path(), time);
    fs::last_write_time(runs(name), time);
  }

  Leftovers found(std::optional<std::size_t> keep = 0) const {
    return old_runs({folder_ / "runs", folder_ / "baselines", folder_ / "project", 5 * kDay, keep});
  }

  std::set<std::string> removable(std::optional<std::size_t> keep = 0) const {
    std::set<std::string> names;
    for (const Leftover& one : found(keep).removable) names.insert(fs::path(one.path).filename());
    return names;
  }

  /// Why the only run that is told to stay does.
  std::string objection() const {
    const Leftovers all = found();
    return all.kept.size() == 1 ? all.kept.front().why : std::to_string(all.kept.size()) + " stay";
  }

  TemporaryFolder folder_;
};

using Names = std::set<std::string>;

TEST_F(OldRuns, FinishedRunsStayUnlessTheNewestAreCounted) {
  measure("one", 20);
  measure("two", 19);
  measure("three", 18);
  measure("cut", 17, false);
  EXPECT_EQ(removable(std::nullopt), Names{"cut"});
  EXPECT_EQ(removable(2), (Names{"cut", "one"}));
  EXPECT_EQ(removable(0), (Names{"cut", "one", "three", "two"}));
}

TEST_F(OldRuns, YoungRunsStay) {
  measure("young", 2);
  measure("young-and-cut", 2, false);
  EXPECT_TRUE(removable().empty());
  EXPECT_TRUE(found().kept.empty());
}

TEST_F(OldRuns, WhatIsNoRunIsNobodysToRemove) {
  write("runs/notes/results.txt", "mine");
  write("runs/notes/comparison.json", "{}");
  write("runs/file", "mine");
  fs::create_directory(runs("empty"));
  age("notes", 20);
  EXPECT_TRUE(removable().empty());
}

TEST_F(OldRuns, ARunWithFilesOfSomebodyElseStays) {
  measure("mine", 20);
  write("runs/mine/pairs/a/thesis.txt", "years of work");
  age("mine", 20);
  EXPECT_TRUE(removable().empty());
  EXPECT_EQ(objection(), "pairs/a/thesis.txt in it is not Plumbline's");
}

TEST_F(OldRuns, LinksAreNotFollowedAndKeepWhatTheyLeadTo) {
  measure("linked", 20);
  measure("other", 20);
  fs::create_directory_symlink(runs("linked"), runs("latest"));
  fs::create_directory_symlink(folder_ / "project", runs("outside"));
  EXPECT_EQ(removable(), Names{"other"});
  EXPECT_EQ(objection(), "a link leads to it");
}

TEST_F(OldRuns, AnAcceptedRunStays) {
  measure("accepted", 20);
  plumbline::Run run = synthetic_run(SyntheticShape{});
  run.info.acceptance = Acceptance{"somebody", "", "2026-01-01",
                                   hash_of_file(runs("accepted") + "/results.csv").text()};
  write("baselines/x/suite.json",
        baseline_json_text("suite", std::vector<const RunInfo*>{&run.info}));
  EXPECT_TRUE(removable().empty());
  EXPECT_EQ(objection(), "a baseline holds it");
}

TEST_F(OldRuns, BaselinesThatCannotBeReadStopItAll) {
  measure("one", 20);
  write("baselines/x/suite.json", "{\"runs\": [{");
  EXPECT_THROW(found(), Error);
}

TEST_F(OldRuns, WhatAComparisonNamesStaysAsLongAsTheComparison) {
  measure("base", 20);
  measure("candidate", 19);
  measure("old-base", 18);
  write("runs/candidate/comparison.json", R"({"findings": [], "baseline_path": "/x/runs/base"})");
  age("candidate", 19);
  write("project/c.json", R"({"findings": [], "notes": ["x"], "baseline_path": "runs/old-base"})");
  EXPECT_EQ(removable(), (Names{"base", "candidate"}));
  EXPECT_EQ(removable(2), Names{});  // candidate is one of the newest, and names base
}

TEST_F(OldRuns, ARunThatIsBeingWrittenStays) {
  measure("one", 20, false);
  const OpenFile file(::open((runs("one") + "/results.csv").c_str(), O_RDONLY));
  ASSERT_EQ(::flock(file.get(), LOCK_EX), 0);
  EXPECT_TRUE(removable().empty());
  EXPECT_EQ(objection(), "in use");
}

TEST_F(OldRuns, WhatAKilledMergeLeftMayGoButNotWhileItRuns) {
  const MergedWriter running(runs("night"));
  // As a merge leaves it that is killed early, or just before the run gets its name.
  fs::copy(runs(".night.merging"), runs(".early.merging"), fs::copy_options::recursive);
  measure("late", 20);
  fs::rename(runs("late"), runs(".late.merging"));
  for (const char* name : {".night.merging", ".early.merging", ".late.merging"}) age(name, 20);
  ASSERT_EQ(removable(std::nullopt), (Names{".early.merging", ".late.merging"}));
  const Leftovers all = found(std::nullopt);
  EXPECT_EQ(all.removable.front().what, "unfinished merge");
  EXPECT_EQ(all.removable.front().in_use, std::vector{runs(".early.merging")});
  EXPECT_EQ(objection(), "in use");
}

TEST_F(OldRuns, WhatAMergeLeftStaysWhileItIsYoungOrHoldsFilesOfSomebodyElse) {
  write("runs/.young.merging/results.csv.part", "suite,case");
  write("runs/.mine.merging/results.csv.part", "suite,case");
  write("runs/.mine.merging/thesis.txt", "years of work");
  age(".mine.merging", 20);
  EXPECT_TRUE(removable(std::nullopt).empty());
  EXPECT_EQ(objection(), "thesis.txt in it is not Plumbline's");
}

TEST_F(OldRuns, PairsAreOneThing) {
  measure("ab/a", 20);
  measure("ab/b", 20, /*is_finished=*/false);
  age("ab", 20);
  EXPECT_EQ(found(std::nullopt).removable.front().what, "unfinished pairs of ab");
  write("runs/ab/comparison.json", R"({"findings": []})");
  age("ab", 20);
  EXPECT_TRUE(removable(std::nullopt).empty());
  EXPECT_EQ(removable(0), Names{"ab"});
}

TEST_F(OldRuns, FinishedSidesAreNoUnfinishedPairs) {
  measure("mine/a", 20);
  measure("mine/b", 20);
  age("mine", 20);
  EXPECT_TRUE(removable(std::nullopt).empty());
}

}  // namespace
}  // namespace plumbline
