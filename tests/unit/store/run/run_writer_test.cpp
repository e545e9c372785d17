#include "store/run/run_writer.h"

#include <algorithm>
#include <filesystem>

#include "unit/store/run/run_on_disk.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

using RunWriterTest = RunDirectory;

TEST_F(RunWriterTest, EachVisitIsInTheFileAsSoonAsItIsAppended) {
  run_ = synthetic_run(kSmall);
  RunWriter writer(path_, run_.info);
  EXPECT_EQ(read_run(path_).rows.size(), 0u);
  writer.append_visit(std::span(run_.rows).first(2));
  EXPECT_EQ(read_run(path_).rows.size(), 2u);
  writer.append_visit(std::span(run_.rows).subspan(2, 2));
  EXPECT_EQ(text_of(read_run(path_).rows), text_of({run_.rows.begin(), run_.rows.begin() + 4}));
}

TEST_F(RunWriterTest, RowsThatAreNotNumberedAsOneVisitAreRefused) {
  run_ = synthetic_run(kSmall);
  run_.rows[1].part = 1;
  RunWriter writer(path_, run_.info);
  EXPECT_NE(message_of(path_, [&] { writer.append_visit(std::span(run_.rows).first(2)); })
                .find("not numbered as one visit"),
            std::string::npos);
  number_rows(std::span(run_.rows).first(2));
  writer.append_visit(std::span(run_.rows).first(2));
  EXPECT_EQ(read_run(path_).rows.at(1).part, 2);
}

TEST_F(RunWriterTest, TheWriterKnowsWhatItWroteAndIsNotFinishedWhereSomebodyChangedIt) {
  run_ = synthetic_run(kSmall);
  RunWriter writer(path_, run_.info);
  append_rows(writer, run_.rows);
  EXPECT_EQ(text_of(writer.run().rows), text_of(run_.rows));
  replace(results(), "OK", "KO");
  EXPECT_NE(message_of(path_, [&] { writer.finish("2026-01-01T01:00:00Z"); })
                .find("found other bytes than this run wrote"),
            std::string::npos);
  replace(results(), "KO", "OK");
  writer.finish("2026-01-01T01:00:00Z");
  EXPECT_EQ(read_run(path_).info.finished_at, "2026-01-01T01:00:00Z");
}

TEST_F(RunWriterTest, WithoutKeptRowsItWritesTheSameAndGivesThemBackAtTheEnd) {
  write(true);
  const std::string path = folder_ / "unkept";
  RunWriter writer(path, run_.info, RowsKept::none);
  append_rows(writer, run_.rows);
  EXPECT_TRUE(writer.run().rows.empty());
  std::string given;
  const auto rows = writer.finish(run_.info.finished_at,
                                  [&](const plumbline::Run& part) { given += text_of(part.rows); });
  for (const char* name : {"results.csv", "summary.csv", "run.json"})
    EXPECT_EQ(file_text(path + "/" + name), file_text(path_ + "/" + name)) << name;
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[1].case_id, run_.rows[1].case_id);
  EXPECT_EQ(given, text_of(run_.rows));
}

TEST_F(RunWriterTest, RowsOfTwoVisitsAreNotAppendedAsOne) {
  run_ = synthetic_run(kSmall);
  RunWriter writer(path_, run_.info);
  EXPECT_NE(message_of(path_, [&] { writer.append_visit(std::span(run_.rows).first(3)); })
                .find("expected rows of one suite, case, round and worker in a visit"),
            std::string::npos);
  EXPECT_NE(message_of(path_, [&] { writer.append_visit({}); }).find("a visit without rows"),
            std::string::npos);
  EXPECT_EQ(read_run(path_).rows.size(), 0u);
}

TEST_F(RunWriterTest, AnExistingRunIsNotOverwritten) {
  write(true);
  EXPECT_EQ(message_of(path_, [&] { RunWriter(path_, run_.info); }),
            "RUN: found a run in it, expected a new or empty directory; --resume goes on with an "
            "unfinished run");
  EXPECT_EQ(read_run(path_).rows.size(), 12u);
}

TEST_F(RunWriterTest, TwoWritersDoNotShareARun) {
  write(false);
  const auto first = RunWriter::resume(path_);
  EXPECT_EQ(resume_error(),
            "RUN/results.csv: another process is writing this run; wait for it or stop it");
}

TEST_F(RunWriterTest, CutAtAnyByteItResumesWithTheVisitsThatWereWhole) {
  SyntheticShape shape = kSmall;
  shape.rounds = 1;
  run_ = synthetic_run(shape);
  run_.info.finished_at.clear();
  for (ResultRow& row : run_.rows) row.spent_s.clear();  // readers do not keep it
  run_.rows[2].reason = run_.rows[3].reason = "two\nlines, \"quoted\"";
  write_run(run_, path_);
  const std::string whole = file_text(results());
  std::vector<std::size_t> ends{header_line().size()};  // of the visits
  for (std::size_t i = 0; i < run_.rows.size(); i += 2)
    ends.push_back(ends.back() +
                   text_of({run_.rows.begin() + long(i), run_.rows.begin() + long(i) + 2}).size());
  ASSERT_EQ(ends.back(), whole.size());
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    fs::remove(results());  // ext4 flushes a file that is truncated and written again
    write_file(results(), whole.substr(0, cut));
    const auto visits = static_cast<std::size_t>(std::ranges::count_if(
        ends.begin() + 1, ends.end(), [&](std::size_t end) { return end <= cut; }));
    {
      RunWriter::Resumed resumed = RunWriter::resume(path_);
      ASSERT_EQ(resumed.visits.size(), visits) << cut;
      ASSERT_EQ(resumed.writer.run().warnings.empty(), std::ranges::count(ends, cut) == 1) << cut;
      for (std::size_t i = 0; i < visits; ++i)
        ASSERT_EQ(resumed.visits[i].case_id, run_.rows[2 * i].case_id);
      append_rows(resumed.writer, std::span(run_.rows).subspan(2 * visits));
    }
    ASSERT_EQ(file_text(results()), whole) << cut;
  }
}

TEST_F(RunWriterTest, OneThatWasKilledBeforeItHadARunJsonBeginsAgain) {
  std::filesystem::create_directories(path_);
  write_file(results(), header_line());
  write_file(path_ + "/run.json.tmp", "{");
  write(true);
  EXPECT_EQ(read_run(path_).rows.size(), 12u);
}

TEST_F(RunWriterTest, ResultsWithoutARunJsonAreNotOverwritten) {
  std::filesystem::create_directories(path_);
  write_file(results(), header_line() + "something measured\n");
  EXPECT_THROW(write(true), Error);
  EXPECT_EQ(file_text(results()), header_line() + "something measured\n");
}

TEST_F(RunWriterTest, AFinishedRunIsNotResumed) {
  write(true);
  EXPECT_EQ(resume_error(),
            "RUN: found a run that finished at 2026-01-01T01:00:00Z, expected an unfinished one; "
            "start a new run instead of --resume");
}

TEST_F(RunWriterTest, AFullDiskLeavesWholeVisitsAndTheRunGoesOnOnceThereIsRoom) {
  run_ = synthetic_run(kSmall);
  RunWriter writer(path_, run_.info);
  writer.append_visit(std::span(run_.rows).first(2));
  const std::string before = file_text(results());
  {
    const FileSizeLimit full(before.size() +
                             100);  // the next write is partial, the one after it fails
    EXPECT_EQ(message_of(path_, [&] { writer.append_visit(std::span(run_.rows).subspan(2, 2)); }),
              "RUN/results.csv: cannot append to it: File too large; what was written before stays "
              "valid: make room and go on with --resume");
  }
  EXPECT_EQ(file_text(results()), before);
  append_rows(writer, std::span(run_.rows).subspan(2));
  {
    const FileSizeLimit full(100);
    EXPECT_EQ(message_of(path_, [&] { writer.finish("2026-01-01T01:00:00Z"); }),
              "RUN/summary.csv: cannot write it: File too large");
  }
  EXPECT_EQ(read_run(path_).info.finished_at, "");
  writer.finish("2026-01-01T01:00:00Z");
  EXPECT_EQ(text_of(read_run(path_).rows), text_of(run_.rows));
}

}  // namespace
}  // namespace plumbline
