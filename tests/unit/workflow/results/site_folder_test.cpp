#include "workflow/results/site_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <thread>

#include "analysis/compare/compare.h"
#include "analysis/compare/ledger_effects.h"
#include "core/error.h"
#include "core/run/case.h"
#include "reports/site/site.h"
#include "store/recorded/evidence.h"
#include "store/run/baseline.h"
#include "store/run/run_reader.h"
#include "store/verdict/comparison_json.h"
#include "store/verdict/ledger_json.h"
#include "support/kept_talk.h"
#include "support/run_files.h"
#include "unit/reports/synthetic.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCases = 14, kSlowed = 4;

std::string night(std::size_t i) {
  return "2026-06-" + std::string(i < 10 ? "0" : "") + std::to_string(i) + "T02:00:00Z";
}

/// A folder of nights; from `slow_from` on, case kSlowed takes 8 % longer.
class Nights {
 public:
  explicit Nights(bool hostile = false)
      : source_({.cases = kCases,
                 .metrics = {"gpu_time_cold"},
                 .blocks = 4,
                 .samples = 3,
                 .hostile = hostile}) {}

  Run make(std::size_t i, std::size_t slow_from = 1000) const {
    Run run =
        source_.make(i, [&](std::size_t c) { return c == kSlowed && i >= slow_from ? 1.08 : 1.0; });
    run.info.started_at = night(i);
    run.info.environment.commit = std::string(39, 'a') + std::to_string(i % 10);
    return run;
  }
  void add(std::size_t i, std::size_t slow_from = 1000) const {
    write_run(make(i, slow_from), path(i));
  }
  /// Adds a comparison and a page, as `check` leaves them.
  void compare_with(std::size_t base, std::size_t i) const {
    const Run a = read_run(path(base)), b = read_run(path(i));
    write_comparison(compare(a, b, default_rule("cuda")), path(i) + "/comparison.json");
  }
  std::string path(std::size_t i) const { return runs() + "/night-" + std::to_string(i); }
  std::string runs() const {
    fs::create_directories(folder_ / "runs");
    return folder_ / "runs";
  }
  std::string baselines() const { return folder_ / "baselines"; }
  std::string site() const { return folder_ / "site"; }
  std::string id(std::size_t i) const { return source_.id(i); }
  std::string case_page(std::size_t i) const {
    return site() + "/" + case_page_name("nightly", id(i));
  }
  std::string commit_page(std::size_t i) const {
    return site() + "/" + commit_page_name(stable_hash_text("night-" + std::to_string(i)));
  }
  SiteResult update() const {
    KeptTalk talk;
    return update_site({site(), runs(), baselines(), "tests"}, talk);
  }

 private:
  TemporaryFolder folder_;
  SyntheticRun source_;
};

/// Every file of a folder except locks: name -> (content, inode), so that a rewritten file shows.
std::map<std::string, std::pair<std::string, ino_t>> files_in(const std::string& folder) {
  std::map<std::string, std::pair<std::string, ino_t>> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().filename() == ".lock") continue;
    struct stat found {};
    ::stat(entry.path().c_str(), &found);
    files[fs::relative(entry.path(), folder).string()] = {file_text(entry.path().string()),
                                                          found.st_ino};
  }
  return files;
}

std::map<std::string, std::string> texts_in(const std::string& folder) {
  std::map<std::string, std::string> texts;
  for (auto& [name, file] : files_in(folder)) texts[name] = std::move(file.first);
  return texts;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SiteFolder, APagePerCommitAndPerCaseAndTheChangeWhereItWasPlanted) {
  const Nights nights;
  for (std::size_t i = 1; i <= 16; ++i) nights.add(i, 9);
  nights.compare_with(8, 9);
  const SiteResult result = nights.update();
  EXPECT_EQ(result.runs, 16U);
  EXPECT_EQ(result.new_runs, 16U);
  EXPECT_EQ(result.cases, kCases);
  EXPECT_EQ(result.new_pages, kCases);
  const std::string index = file_text(nights.site() + "/index.html");
  EXPECT_TRUE(holds(index, "Slower: "));
  EXPECT_TRUE(holds(index, "▲</span> slower</span> 1"));
  const std::string slowed = file_text(nights.case_page(kSlowed));
  EXPECT_TRUE(holds(slowed, "</span> with <a")) << slowed;
  EXPECT_TRUE(holds(slowed, night(9)));
  EXPECT_TRUE(holds(file_text(nights.case_page(kSlowed + 1)), "No change was found among 16 runs"));
  std::size_t pages = 0;
  for (const auto& entry : fs::directory_iterator(nights.site() + "/commits"))
    pages += holds(file_text(entry.path().string()), "<h1>");
  EXPECT_EQ(pages, 16U);
}

TEST(SiteFolder, OneCommitMoreLeavesOldPagesAsTheyAre) {
  const Nights nights;
  for (std::size_t i = 1; i <= 3; ++i) nights.add(i);
  nights.update();
  const auto before = files_in(nights.site());
  const std::string newest = nights.commit_page(3);
  auto run = nights.make(4);
  std::erase_if(run.rows, [&](const ResultRow& row) { return row.case_id != nights.id(2); });
  write_run(run, nights.path(4));
  const SiteResult result = nights.update();
  EXPECT_EQ(result.new_runs, 1U);
  EXPECT_EQ(result.new_pages, 1U);
  auto after = files_in(nights.site());
  for (const auto& [name, file] : before) {
    const std::string path = nights.site() + "/" + name;
    const bool may_change = name == "index.html" || name == "cases.html" || name == "runs.js" ||
                            name == "feed.xml" || path == nights.case_page(2) || path == newest;
    EXPECT_EQ(file == after[name], !may_change) << name;
  }
  EXPECT_EQ(after.size(), before.size() + 3);  // a commit's page and the two files of its record
}

/// How often `git` is started for a site of those nights, all of one commit.
std::size_t questions_to_git(std::initializer_list<std::size_t> nights_of_a_commit) {
  TemporaryFolder tools;
  write_file(tools / "git", "#!/bin/sh\necho asked >> " + tools / "asked" + "\nexit 1\n");
  fs::permissions(tools / "git", fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (tools.path() + ":" + path).c_str(), 1);
  Nights nights;
  for (const std::size_t i : nights_of_a_commit) nights.add(i);
  nights.update();
  ::setenv("PATH", path.c_str(), 1);
  const std::string asked = file_text(tools / "asked");
  return std::size_t(std::ranges::count(asked, '\n'));
}

/// A fleet has a run of the same commit for each device, and each start of git takes milliseconds.
TEST(SiteFolder, AsksGitOnceForACommitHoweverManyRunsHaveIt) {
  const std::size_t of_one = questions_to_git({1});
  EXPECT_GT(of_one, 0u);
  EXPECT_EQ(questions_to_git({1, 11, 21}), of_one);
}

TEST(SiteFolder, InStepsItIsTheSameAsAtOnce) {
  const Nights nights;
  for (std::size_t i = 1; i <= 12; ++i) {
    nights.add(i, 6);
    if (i > 1) nights.compare_with(1, i);
    if (i % 5 == 0) nights.update();
  }
  nights.update();
  const auto in_steps = texts_in(nights.site());
  fs::remove_all(nights.site());
  nights.update();
  EXPECT_EQ(in_steps, texts_in(nights.site()));
}

TEST(SiteFolder, WhatAnInterruptedCallLeftIsMadeByTheNext) {
  const Nights nights;
  for (std::size_t i = 1; i <= 3; ++i) nights.add(i);
  nights.update();
  const auto whole = texts_in(nights.site());
  // The marks of the last run are written last; before them, pages may be old, torn or missing.
  for (const auto& entry : fs::directory_iterator(nights.site() + "/data"))
    if (holds(file_text(entry.path().string()), "\"night-3\"")) fs::remove(entry.path());
  fs::remove(nights.case_page(0));
  write_file(nights.case_page(1), "");
  write_file(nights.case_page(2), "<!doctype html>half");
  write_file(nights.site() + "/index.html", "half");
  fs::remove_all(nights.site() + "/assets");
  nights.update();
  EXPECT_EQ(whole, texts_in(nights.site()));
}

TEST(SiteFolder, ADamagedRecordIsMadeAgainOrNamedWhereItsRunIsGone) {
  const Nights nights;
  for (std::size_t i = 1; i <= 2; ++i) nights.add(i);
  nights.update();
  const auto whole = texts_in(nights.site());
  const auto damage = [&] {
    for (const auto& entry : fs::directory_iterator(nights.site() + "/data"))
      if (entry.path().extension() == ".csv") write_file(entry.path().string(), "torn");
  };
  damage();
  nights.update();
  EXPECT_EQ(whole, texts_in(nights.site()));
  fs::remove_all(nights.path(1));
  EXPECT_EQ(nights.update().runs, 2U);  // its page stays
  damage();
  EXPECT_THROW(nights.update(), Error);
}

TEST(SiteFolder, WhatIsComparedLaterChangesItsPage) {
  const Nights nights;
  for (std::size_t i = 1; i <= 2; ++i) nights.add(i, 2);
  nights.update();
  EXPECT_TRUE(holds(file_text(nights.site() + "/index.html"), "was not compared"));
  nights.compare_with(1, 2);
  EXPECT_EQ(nights.update().new_runs, 1U);
  EXPECT_TRUE(holds(file_text(nights.site() + "/index.html"), "Slower: "));
}

/// The sections of the index from `from` to `to`.
std::string part_of(const std::string& page, const std::string& from, const std::string& to) {
  const std::size_t at = page.find("id=\"" + from + "\"");
  return at == page.npos ? "" : page.substr(at, page.find("id=\"" + to + "\"") - at);
}

TEST(SiteFolder, ARegressionIsOpenUntilItIsAcknowledgedOrAccepted) {
  const Nights nights;
  for (std::size_t i = 1; i <= 12; ++i) nights.add(i, 8);
  nights.update();
  const auto index = [&] { return file_text(nights.site() + "/index.html"); };
  EXPECT_TRUE(holds(index(), "<h1>1 regression is open: ")) << index();
  EXPECT_TRUE(holds(part_of(index(), "open", "nights"), "2026-06-08"));

  const LedgerEntry entry{.device = "",
                          .suite = "",
                          .case_id = nights.id(kSlowed),
                          .metric = "",
                          .change = std::nullopt,
                          .author = "Ada",
                          .reason = "wanted",
                          .at = "2026-06-09",
                          .until = "2026-06-20"};
  fs::create_directories(nights.baselines());
  write_file(ledger_path(nights.baselines()), ledger_text({entry}));
  nights.update();
  EXPECT_TRUE(holds(part_of(index(), "open", "nights"), "None.")) << index();
  EXPECT_TRUE(holds(part_of(index(), "settled", "changes"),
                    "acknowledged by Ada until 2026-06-20: wanted"));

  fs::remove(ledger_path(nights.baselines()));
  accept(read_run(nights.path(10)), nights.baselines(), {"Bob", "the new level", "2026-06-11", ""});
  nights.update();
  EXPECT_TRUE(
      holds(part_of(index(), "settled", "changes"), "accepted by Bob on 2026-06-11: the new level"))
      << index();
}

TEST(SiteFolder, ARegressionOfAProblemThatWasChangedSinceIsNotOpen) {
  const Nights nights;
  for (std::size_t i = 1; i <= 13; ++i) nights.add(i, 8);
  nights.update();
  const auto open = [&] {
    return part_of(file_text(nights.site() + "/index.html"), "open", "nights");
  };
  EXPECT_TRUE(holds(open(), "2026-06-08")) << open();
  auto changed = nights.make(14, 8);
  for (ResultRow& row : changed.rows)
    if (row.case_id == nights.id(kSlowed)) row.revision = "another";
  write_run(changed, nights.path(14));
  nights.update();
  EXPECT_TRUE(holds(open(), "None.")) << open();
}

TEST(SiteFolder, ARegressionOfACaseThatLeftItsSuiteIsToldApartUntilItComesBack) {
  const Nights nights;
  for (std::size_t i = 1; i <= 12; ++i) nights.add(i, 8);
  const auto add_without = [&](std::size_t i, std::size_t kept) {
    auto run = nights.make(i, 8);
    std::erase_if(run.rows, [&](const ResultRow& row) {
      return row.case_id == nights.id(kSlowed) || row.order >= int(kept);
    });
    write_run(run, nights.path(i));
    nights.update();
  };
  const auto index = [&] { return file_text(nights.site() + "/index.html"); };
  add_without(13, 3);
  EXPECT_TRUE(holds(index(), "<h1>1 regression is open: ")) << "a run of three chosen cases";
  add_without(14, kCases);
  EXPECT_TRUE(holds(part_of(index(), "open", "gone"), "None.")) << index();
  const std::string gone = part_of(index(), "gone", "nights");
  EXPECT_TRUE(holds(gone, "2026-06-08")) << gone;
  EXPECT_TRUE(holds(gone, "aaaa</code></a> <span class=\"quiet when\">2026-06-14")) << gone;
  EXPECT_TRUE(holds(gone, ">6 days<")) << gone;
  EXPECT_TRUE(holds(index(), "1 regression was open when its suite stopped measuring it."))
      << index();
  nights.add(15, 8);
  nights.update();
  EXPECT_TRUE(holds(index(), "<h1>1 regression is open: ")) << index();
  EXPECT_FALSE(holds(index(), "id=\"gone\"")) << index();
}

TEST(SiteFolder, CommitPagesLeadToTheirNeighboursAndCases) {
  const Nights nights(true);
  for (std::size_t i = 1; i <= 3; ++i) nights.add(i);
  nights.update();
  const auto name = [&](std::size_t i) {
    return fs::path(nights.commit_page(i)).filename().string();
  };
  const std::string page = file_text(nights.commit_page(2));
  EXPECT_TRUE(holds(page, "<a href=\"../index.html\">All commits</a>"));
  EXPECT_TRUE(holds(page, "<a href=\"" + name(1) + "\" rel=\"prev\""));
  EXPECT_TRUE(holds(page, "<a href=\"" + name(3) + "\" rel=\"next\""));
  for (std::size_t i = 0; i < kCases; ++i)
    EXPECT_TRUE(holds(page, "../" + case_page_name("nightly", nights.id(i)))) << i;
  EXPECT_FALSE(holds(file_text(nights.commit_page(3)), "rel=\"next\""));
  nights.add(4);
  nights.update();
  const std::string then = file_text(nights.commit_page(3));
  EXPECT_TRUE(holds(then, "<a href=\"" + name(4) + "\" rel=\"next\""));
  EXPECT_EQ(then.find("aria-label=\"Site\""), then.rfind("aria-label=\"Site\"")) << "once";
}

TEST(SiteFolder, NothingToShowIsAnError) {
  const Nights nights;
  EXPECT_THROW(nights.update(), Error);
  EXPECT_FALSE(fs::exists(nights.site()));
  KeptTalk talk;
  EXPECT_THROW(update_site({nights.site(), nights.site() + "/nowhere", ""}, talk), Error);
  auto run = nights.make(1);
  run.info.finished_at.clear();
  write_run(run, nights.path(1));
  EXPECT_THROW(nights.update(), Error);
}

TEST(SiteFolder, AnUnfinishedRunIsLeftOutAndToldOnTheIndex) {
  const Nights nights;
  nights.add(1);
  auto run = nights.make(2);
  run.info.finished_at.clear();
  write_run(run, nights.path(2));
  EXPECT_EQ(nights.update().notes.size(), 1U);
  EXPECT_TRUE(holds(file_text(nights.site() + "/index.html"), "has not finished"));
}

TEST(SiteFolder, TwoAtOnceGiveTheSameAsOne) {
  const Nights nights;
  for (std::size_t i = 1; i <= 4; ++i) nights.add(i);
  nights.update();
  const auto whole = texts_in(nights.site());
  fs::remove_all(nights.site());
  {
    std::jthread first([&] { nights.update(); }), second([&] { nights.update(); });
  }
  EXPECT_EQ(whole, texts_in(nights.site()));
}

TEST(SiteFolder, AnAcknowledgedChangeIsNotTheWorstOfItsCommit) {
  const Nights nights;
  nights.add(1);
  nights.add(2, 2);
  const plumbline::Run before = read_run(nights.path(1)), after = read_run(nights.path(2));
  Comparison comparison = compare(before, after, default_rule("cuda"));
  LedgerEntry entry;
  entry.case_id = nights.id(kSlowed);
  entry.author = "me";
  entry.reason = "wanted";
  apply_ledger(comparison, {entry}, {"", "2026-06-02"});
  ASSERT_EQ(census_of(comparison).of(EntryKind::acknowledged), 1U);
  write_comparison(comparison, nights.path(2) + "/comparison.json");
  nights.update();
  const std::string index = file_text(nights.site() + "/index.html");
  EXPECT_FALSE(holds(index, "▲</span> slower</span> 1")) << index;
}

}  // namespace
}  // namespace plumbline
