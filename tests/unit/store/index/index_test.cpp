// Whatever happens to the index, a history is what the run directories say.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <future>

#include "core/moment.h"
#include "store/index/history.h"
#include "store/index/index_update.h"
#include "store/index/run_index.h"
#include "store/index/run_stamps.h"
#include "store/index/sqlite.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// All that a history holds, bit by bit.
std::string text_of(const History& history) {
  std::string text;
  for (const PastRun& run : history.runs)
    text += fmt::format("{} {} {} {} {} {} {} {} {}\n", run.path, run.started_at, run.commit,
                        run.device_class, run.device_uuid, run.measurement_revision, run.shard,
                        run.host, run.boot_id);
  for (const Series& s : history.series) {
    text += fmt::format("{} {} {} {} {} {} {}\n", s.suite, s.case_id, s.metric, s.unit, s.revision,
                        s.device_class, s.measurement_revision);
    for (std::size_t i = 0; i < s.values.size(); ++i) {
      const PastValue& value = s.values[i];
      const PastSpread spread = s.spread(i);
      text += fmt::format("  {} {:a} {:a} {:a} {:a} {:a}", value.run, value.estimate, value.log,
                          spread.low, spread.high, spread.tail);
      for (const double log : s.visits_of(value)) text += fmt::format(" {:a}", log);
      text += '\n';
    }
  }
  return text;
}

std::string seen(const std::string& folder, IndexUse use, const std::string& case_id = "") {
  HistoryFolder found = read_history(folder, {}, use);
  std::ranges::sort(found.notes);
  const std::string text = text_of(history_of(found.runs, found, case_id));
  std::string notes;
  for (const std::string& note : found.notes)
    if (note.find("cannot be used") == note.npos) notes += note + "\n";
  return notes + text;
}

class Index : public testing::Test {
 protected:
  Index() {
    fs::create_directories(runs());
    for (std::size_t i = 0; i < 12; ++i) write_run(night(i), path(i));
    fs::copy(path(3), runs() + "/copy", fs::copy_options::recursive);
    plumbline::Run unfinished = night(20);
    unfinished.info.finished_at.clear();
    write_run(unfinished, path(20));
    fs::remove(path(5) + "/summary.csv");
  }

  std::string runs() const { return folder_ / "runs"; }
  std::string path(std::size_t i) const { return runs() + fmt::format("/night-{:02}", i); }
  std::string index() const { return runs() + "/" + kIndexFile; }

  /// Nights with everything that tells series apart: device classes, revisions, statuses, cases
  /// that come and go, metrics.
  static plumbline::Run night(std::size_t i) {
    plumbline::Run run =
        synthetic_run({.cases = 90 + i, .metrics = 2, .blocks = 2, .samples = 2, .seed = i + 1});
    run.info.started_at = utc_text({std::int64_t((i * 7) % 12) * 86'400});  // not in order of names
    run.info.environment.commit = fmt::format("c{}", i);
    run.info.environment.host = i % 3 == 0 ? "node-1" : "node-2";
    if (i % 4 == 1) run.info.environment.device_class = "NVIDIA B200";
    if (i % 5 == 2) run.info.measurement_revision = 3;
    for (ResultRow& row : run.rows) {
      if (i > 6 && row.order % 10 == 3) row.revision = "2";
      if (row.order % 11 == 5 && row.metric == "gpu_time_hot" && i % 2 == 0) {
        row.status = Status::unsupported;
        row.reason = "not here";
        row.samples = {};
        row.block_times_s.clear();
        row.block_clocks_hz.clear();
      }
    }
    return run;
  }

  void expect_same(const std::string& what) const {
    const std::string truth = seen(runs(), IndexUse::never);
    EXPECT_EQ(seen(runs(), IndexUse::always), truth) << what;
    EXPECT_EQ(seen(runs(), IndexUse::always), truth) << what << ", from the index as it is now";
    std::size_t directories = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(runs()))
      directories += fs::exists(entry.path() / "run.json");
    EXPECT_EQ(RunIndex(index()).runs().size(), directories) << what;
  }

  TemporaryFolder folder_;
};

TEST_F(Index, gives_the_history_that_the_summaries_give) {
  const std::string truth = seen(runs(), IndexUse::never);
  EXPECT_NE(truth.find("has not finished"), truth.npos);
  EXPECT_NE(truth.find("is a copy of"), truth.npos);
  EXPECT_NE(truth.find("NVIDIA B200"), truth.npos);
  expect_same("new");
  EXPECT_TRUE(fs::exists(index()));
}

TEST_F(Index, gives_one_case_with_all_runs) {
  const std::string id = night(0).rows[10].case_id;
  const std::string one = seen(runs(), IndexUse::always, id);
  EXPECT_EQ(one, seen(runs(), IndexUse::never, id));
  EXPECT_NE(one.find(id), one.npos);
  EXPECT_EQ(one.find(night(0).rows[20].case_id), one.npos);
}

TEST_F(Index, follows_runs_that_come_and_go_and_change) {
  expect_same("new");
  write_run(night(13), path(13));
  expect_same("one more run");
  fs::remove_all(path(2));
  expect_same("one run less");
  fs::rename(path(4), runs() + "/renamed");
  expect_same("a renamed run");
  fs::remove_all(path(7));
  write_run(night(30), path(7));
  expect_same("another run in its place");
  fs::remove(path(8) + "/summary.csv");
  expect_same("a summary that is gone");
  fs::remove_all(path(20));
  write_run(night(20), path(20));
  expect_same("an unfinished run that finished");
}

TEST_F(Index, sees_a_change_of_a_file_that_keeps_its_size_and_its_time) {
  expect_same("new");
  for (int change = 1; change <= 3;
       ++change) {  // at once, within a tick of the file system's clock
    const std::string summary = path(6) + "/summary.csv";
    const auto time = fs::last_write_time(summary);
    std::string text = file_text(summary);
    const std::size_t digit = text.find("e-0") - 1;  // the last one of the first estimate
    text[digit] = text[digit] == '9' ? '8' : char(text[digit] + 1);
    write_file(summary, text);
    fs::last_write_time(summary, time);
    expect_same(fmt::format("change {}", change));
  }
}

TEST_F(Index, that_is_damaged_anywhere_is_made_anew_or_not_used) {
  const std::string truth = seen(runs(), IndexUse::never);
  ASSERT_EQ(seen(runs(), IndexUse::always), truth);
  const std::string good = file_text(index());
  ASSERT_GT(good.size(), 100'000u);
  for (std::size_t at = 0; at < good.size(); at += good.size() / 60) {
    std::string bad = good;
    for (std::size_t i = at; i < std::min(good.size(), at + 40); ++i) bad[i] = char(bad[i] ^ 0x5a);
    write_file(index(), bad);
    EXPECT_EQ(seen(runs(), IndexUse::always), truth) << "damaged at " << at;
  }
  for (const std::size_t kept :
       {std::size_t{0}, std::size_t{7}, good.size() / 3, good.size() - 1}) {
    write_file(index(), good.substr(0, kept));
    EXPECT_EQ(seen(runs(), IndexUse::always), truth) << "cut at " << kept;
  }
  write_file(index(), "no database");
  EXPECT_EQ(seen(runs(), IndexUse::always), truth);
  Database(index(), 1).run("PRAGMA user_version = 99");
  EXPECT_EQ(seen(runs(), IndexUse::always), truth) << "of another version";
  Database(index(), 1).run("DROP TABLE chunk");
  EXPECT_EQ(seen(runs(), IndexUse::always), truth) << "without a table";
}

TEST_F(Index, that_cannot_be_written_is_told_once_and_not_needed) {
  fs::create_directory(index());  // as for nobody who may write there
  const HistoryFolder found = read_history(runs(), {}, IndexUse::always);
  EXPECT_EQ(std::ranges::count_if(
                found.notes,
                [](const std::string& note) { return note.find("cannot be used") != note.npos; }),
            1);
  EXPECT_EQ(seen(runs(), IndexUse::always), seen(runs(), IndexUse::never));
}

TEST_F(Index, is_whole_after_a_kill_while_it_was_written) {
  expect_same("new");
  const pid_t child = ::fork();
  if (child == 0) {
    RunIndex writing(index());
    writing.begin_writing();
    for (const auto& [folder, run] : writing.runs()) writing.remove(run.id);
    IndexedRun run;
    run.folder = "night-00";
    std::vector<CaseSummary> rows = summarize(night(0));
    for (CaseSummary& row : rows) row.estimate = 1;
    for (int i = 0; i < 200; ++i) {  // more than its cache: some of it is in the file
      run.folder = std::to_string(i);
      writing.add(run, rows);
    }
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  expect_same("after the kill");
}

TEST_F(Index, serves_several_at_once) {
  const std::string truth = seen(runs(), IndexUse::never);
  std::vector<std::future<std::string>> readers;
  for (int i = 0; i < 4; ++i)
    readers.push_back(
        std::async(std::launch::async, [&] { return seen(runs(), IndexUse::always); }));
  for (auto& reader : readers) EXPECT_EQ(reader.get(), truth);
  expect_same("after all");
}

TEST(RunStamps, of_a_file_that_just_changed_may_hide_another_change) {
  TemporaryFolder folder;
  write_file(folder / "run.json", "{}");
  const RunStamps stamps = stamps_of(folder.path());
  EXPECT_FALSE(are_settled(stamps, stamps.newest_ns)) << "the next change may have the same time";
  EXPECT_FALSE(are_settled(stamps, stamps.newest_ns + 1'000'000));
  EXPECT_TRUE(are_settled(stamps, stamps.newest_ns + 1'000'000'000));
  EXPECT_NE(stamps.text.find("summary.csv none"), stamps.text.npos);
}

TEST_F(Index, is_not_made_for_few_small_runs) {
  EXPECT_FALSE(read_history(runs()).stored);
  EXPECT_FALSE(fs::exists(index()));
}

TEST_F(Index, does_not_hide_a_run_that_cannot_be_read) {
  expect_same("new");
  fs::remove(path(1) + "/results.csv");
  EXPECT_THROW(read_history(runs(), {}, IndexUse::always), Error);
  write_file(path(9) + "/run.json", "{");
  EXPECT_THROW(read_history(runs(), {}, IndexUse::always), Error);
}

}  // namespace
}  // namespace plumbline
