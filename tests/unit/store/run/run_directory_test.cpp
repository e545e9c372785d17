#include "store/run/run_directory.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/error.h"
#include "store/csv/columns.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr SyntheticShape kSmall{.cases = 3, .metrics = 2, .rounds = 2, .blocks = 2, .samples = 2};

std::string text_of(const std::vector<ResultRow>& rows) {
  std::string text;
  for (ResultRow row : rows) {
    row.spent_s.clear();  // readers do not keep it
    append_row(row, text);
  }
  return text;
}

/// The message of the Error that `action` throws, with `path` written as RUN.
template <class Action>
std::string message_of(const std::string& path, Action action) {
  try {
    action();
  } catch (const Error& error) {
    std::string message = error.what();
    for (std::size_t at = 0; (at = message.find(path, at)) != std::string::npos; at += 3)
      message.replace(at, path.size(), "RUN");
    return message;
  }
  return "no error";
}

/// A run directory, written from a synthetic run and then open to damage.
class RunDirectory : public testing::Test {
 protected:
  void write(bool finished, const SyntheticShape& shape = kSmall) {
    run_ = synthetic_run(shape);
    if (!finished) run_.info.finished_at.clear();
    write_run(run_, path_);
  }
  std::string results() const { return path_ + "/results.csv"; }
  std::string json() const { return path_ + "/run.json"; }
  void replace(const std::string& file, const std::string& what, const std::string& by) {
    std::string text = file_text(file);
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    write_file(file, text.replace(at, what.size(), by));
  }
  std::string read_error() const {
    return message_of(path_, [&] { read_run(path_); });
  }
  std::string resume_error() const {
    return message_of(path_, [&] { RunWriter::resume(path_); });
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "run";
  plumbline::Run run_;
};

TEST_F(RunDirectory, WhatIsWrittenIsReadBack) {
  write(true);
  const plumbline::Run back = read_run(path_);
  EXPECT_EQ(text_of(back.rows), text_of(run_.rows));
  EXPECT_EQ(back.info.environment, run_.info.environment);
  EXPECT_EQ(back.info.command, run_.info.command);
  EXPECT_EQ(back.info.finished_at, "2026-01-01T01:00:00Z");
  EXPECT_EQ(back.path, path_);
  EXPECT_TRUE(back.warnings.empty());
}

TEST_F(RunDirectory, IsFoundByItsFilesToo) {
  write(true);
  for (const std::string& path : {path_ + "/", results(), json()})
    EXPECT_EQ(read_run(path).rows.size(), 12u) << path;
}

TEST_F(RunDirectory, AnUnfinishedRunSaysSo) {
  write(false);
  EXPECT_NE(file_text(json()).find("\"finished_at\": null"), std::string::npos);
  EXPECT_EQ(read_run(path_).info.finished_at, "");
  EXPECT_FALSE(fs::exists(path_ + "/summary.csv"));
}

TEST_F(RunDirectory, EachVisitIsInTheFileAsSoonAsItIsAppended) {
  run_ = synthetic_run(kSmall);
  RunWriter writer(path_, run_.info);
  EXPECT_EQ(read_run(path_).rows.size(), 0u);
  writer.append_visit(std::span(run_.rows).first(2));
  EXPECT_EQ(read_run(path_).rows.size(), 2u);
  writer.append_visit(std::span(run_.rows).subspan(2, 2));
  EXPECT_EQ(text_of(read_run(path_).rows), text_of({run_.rows.begin(), run_.rows.begin() + 4}));
}

TEST_F(RunDirectory, RowsThatAreNotNumberedAsOneVisitAreRefused) {
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

TEST_F(RunDirectory, TheWriterKnowsWhatItWroteAndIsNotFinishedWhereSomebodyChangedIt) {
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

TEST_F(RunDirectory, RowsOfTwoVisitsAreNotAppendedAsOne) {
  run_ = synthetic_run(kSmall);
  RunWriter writer(path_, run_.info);
  EXPECT_NE(message_of(path_, [&] { writer.append_visit(std::span(run_.rows).first(3)); })
                .find("expected rows of one suite, case, round and worker in a visit"),
            std::string::npos);
  EXPECT_NE(message_of(path_, [&] { writer.append_visit({}); }).find("a visit without rows"),
            std::string::npos);
  EXPECT_EQ(read_run(path_).rows.size(), 0u);
}

TEST_F(RunDirectory, AnExistingRunIsNotOverwritten) {
  write(true);
  EXPECT_EQ(message_of(path_, [&] { RunWriter(path_, run_.info); }),
            "RUN: found a run in it, expected a new or empty directory; --resume goes on with an "
            "unfinished run");
  EXPECT_EQ(read_run(path_).rows.size(), 12u);
}

TEST_F(RunDirectory, TwoWritersDoNotShareARun) {
  write(false);
  const auto first = RunWriter::resume(path_);
  EXPECT_EQ(resume_error(),
            "RUN/results.csv: another process is writing this run; wait for it or stop it");
}

TEST_F(RunDirectory, CutAtAnyByteItResumesWithTheVisitsThatWereWhole) {
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
      ASSERT_EQ(resumed.writer.run().rows.size(), 2 * visits) << cut;
      ASSERT_EQ(resumed.writer.run().warnings.empty(), std::ranges::count(ends, cut) == 1) << cut;
      for (std::size_t i = 0; i < visits; ++i)
        ASSERT_EQ(resumed.visits[i].case_id, run_.rows[2 * i].case_id);
      append_rows(resumed.writer, std::span(run_.rows).subspan(2 * visits));
    }
    ASSERT_EQ(file_text(results()), whole) << cut;
  }
}

TEST_F(RunDirectory, ATornRowOfAnUnfinishedRunIsLeftOutWithAWarning) {
  write(false);
  fs::resize_file(results(), fs::file_size(results()) - 30);
  const plumbline::Run run = read_run(path_);
  EXPECT_EQ(run.rows.size(), 11u);
  ASSERT_EQ(run.warnings.size(), 2u);
  EXPECT_EQ(run.warnings[0],
            results() +
                ": row 12 (line 13), column spent: found the end of the file inside the "
                "row, expected a complete row that ends in a newline; the row was left out");
  EXPECT_NE(run.warnings[1].find("found the end after 1 of the 2 rows of the visit"),
            std::string::npos);
}

TEST_F(RunDirectory, ATornRowOfAFinishedRunIsAnError) {
  write(true);
  fs::resize_file(results(), fs::file_size(results()) - 1);
  EXPECT_EQ(read_error(),
            "RUN/results.csv: row 12 (line 13), column code: found the end of the file inside "
            "the row, expected a complete row that ends in a newline; the run is finished, so the "
            "file is damaged: restore it");
}

TEST_F(RunDirectory, OneThatWasKilledBeforeItHadARunJsonBeginsAgain) {
  std::filesystem::create_directories(path_);
  write_file(results(), header_line());
  write_file(path_ + "/run.json.tmp", "{");
  write(true);
  EXPECT_EQ(read_run(path_).rows.size(), 12u);
}

TEST_F(RunDirectory, ResultsWithoutARunJsonAreNotOverwritten) {
  std::filesystem::create_directories(path_);
  write_file(results(), header_line() + "something measured\n");
  EXPECT_THROW(write(true), Error);
  EXPECT_EQ(file_text(results()), header_line() + "something measured\n");
}

TEST_F(RunDirectory, AFinishedRunWhoseResultsWereChangedIsReadAndSaysSo) {
  write(true);
  const std::string text = file_text(results());
  const std::size_t last = text.rfind("\nsynthetic", text.rfind("\nsynthetic") - 1);
  std::string other_digit = text;
  other_digit[text.rfind('|') + 3] ^= 1;  // one decimal digit becomes its neighbour
  for (const std::string& changed : {text.substr(0, last + 1), other_digit}) {
    write_file(results(), changed);
    const plumbline::Run run = read_run(path_);
    ASSERT_EQ(run.warnings.size(), 1u);
    EXPECT_NE(run.warnings[0].find("the results were changed since"), std::string::npos);
  }
}

TEST_F(RunDirectory, DamagedFieldsAreNamedByRowLineColumnAndWhatWasExpected) {
  const struct {
    std::string what, by, message;
  } kDamages[] = {
      {",OK,", ",FINE,",
       "RUN/results.csv: row 1 (line 2), column status: found 'FINE', expected one of OK WRONG "
       "UNVERIFIED UNSUPPORTED EXCLUDED CRASHED TIMEOUT OUT_OF_MEMORY THROTTLED INTERRUPTED"},
      {",2.784e-06,", ",2.784e-06s,",
       "RUN/results.csv: row 1 (line 2), column floor: found '2.784e-06s', expected a number, or "
       "nothing where it is unknown"},
      {",312.5,", ",1e999,",
       "RUN/results.csv: row 1 (line 2), column power: found '1e999', expected a number, or "
       "nothing "
       "where it is unknown"},
      {",1/2,1,", ",1/2,0,",
       "RUN/results.csv: row 1 (line 2), column batch: found '0', expected an integer from 1"},
      {",2/2,", ",3/2,",
       "RUN/results.csv: row 2 (line 3), column part: found '3/2', expected I/N with I from 1 to "
       "N, "
       "such as 1/2"},
      {",1/2,", ",2/2,",
       "RUN/results.csv: row 1 (line 2), column part: found '2/2' of "
       "'gemm/libtorch/dtype=float16/k=64/m=4096/n=4096/transpose_b=t…', expected 1/N, the first "
       "row of a visit"},
      {",timing:4000,2/2,", ",timing:4001,2/2,",
       "RUN/results.csv: row 2 (line 3), column part: found '2/2' of "
       "'gemm/libtorch/dtype=float16/k=64/m=4096/n=4096/transpose_b=t…', expected 2/2 of the "
       "visit that the row before belongs to"},
      {",0.011;0.022,", ",0.011;,",
       "RUN/results.csv: row 1 (line 2), column block_times: found '0.011;', expected numbers with "
       "';' between them"},
      {",0.011;0.022,", ",0.011,",
       "RUN/results.csv: row 1 (line 2), column block_times: found 1 number, expected one for each "
       "block of the samples, 2"},
      {",0,0,timing", ",0,-1,timing",
       "RUN/results.csv: row 1 (line 2), column order: found '-1', expected an integer from 0"},
      {"|", "||", ", expected numbers with ';' between samples and '|' between blocks"},
      {"\nsynthetic,", "\nsynthetic\n",
       "RUN/results.csv: row 1 (line 2), column case: found 1 fields, expected 38 as in the "
       "header"},
      {",metric,", ",metrik,",
       "RUN/results.csv: header: column metric is missing; found "
       "'suite,case,op,backend,revision,device,status,reason,metrik,u…'; expected a file with at "
       "least the required columns of harness/store/README.md"},
  };
  write(true);
  const std::string whole = file_text(results());
  for (const auto& damage : kDamages) {
    write_file(results(), whole);
    replace(results(), damage.what, damage.by);
    EXPECT_TRUE(read_error().ends_with(damage.message)) << read_error() << "\n" << damage.message;
  }
}

TEST_F(RunDirectory, ColumnsMayStandInAnyOrderAndNewOnesArePassedOver) {
  write(false);
  std::string reversed;
  {
    CsvReader reader(results());
    const auto add_line = [&](auto field_of) {
      reversed += "x";
      for (std::size_t i = reader.header().size(); i-- > 0;)
        append_csv_field(reversed, field_of(i), false);
      reversed += '\n';
    };
    add_line([&](std::size_t i) { return std::string_view(reader.header()[i]); });
    while (reader.next()) add_line([&](std::size_t i) { return reader.field(i); });
  }
  write_file(results(), reversed);
  EXPECT_EQ(text_of(read_run(path_).rows), text_of(run_.rows));
  EXPECT_EQ(resume_error(),
            "RUN/results.csv: found other columns than this Plumbline writes; go on with the "
            "Plumbline that began the run");
  EXPECT_EQ(file_text(results()), reversed);
}

TEST_F(RunDirectory, RunJsonThatIsMissingTornForeignOrNewerIsAnError) {
  write(false);
  const std::string whole = file_text(json());
  write_file(json(), "");
  EXPECT_EQ(read_error(), "RUN/run.json: not valid JSON: the file is empty");
  write_file(json(), whole.substr(0, 40));
  EXPECT_TRUE(
      read_error().starts_with("RUN/run.json: not valid JSON: parse error at line 3, column "))
      << read_error();
  write_file(json(), "{\"name\": \"my-package\"}");
  EXPECT_EQ(read_error(),
            "RUN/run.json: found JSON without 'format' and 'measurement_revision', expected the "
            "JSON of a run written by Plumbline");
  write_file(json(), whole);
  replace(json(), "\"format\": 1", "\"format\": 2");
  EXPECT_EQ(read_error(),
            "RUN/run.json: found format 2, expected at most format 1, the newest that this "
            "Plumbline reads; use the Plumbline that wrote it");
  EXPECT_EQ(resume_error(), read_error());
  write_file(json(), whole);
  replace(json(), "\"device_class\": \"NVIDIA H200\"", "\"device_class\": 200");
  EXPECT_EQ(read_error(),
            "RUN/run.json: at /environment/device_class: found 200, expected a string");
  fs::remove(json());
  EXPECT_EQ(
      read_error(),
      "RUN: found no run.json in it, expected a run directory, or the path of a baseline such "
      "as baselines/DEVICE/SUITE.csv");
  EXPECT_EQ(resume_error(),
            "RUN: found no run.json, expected the directory of an unfinished run; start the run "
            "anew without --resume");
}

TEST_F(RunDirectory, AFinishedRunIsNotResumed) {
  write(true);
  EXPECT_EQ(resume_error(),
            "RUN: found a run that finished at 2026-01-01T01:00:00Z, expected an unfinished one; "
            "start a new run instead of --resume");
}

TEST_F(RunDirectory, PathsThatAreNoRunAreErrors) {
  EXPECT_EQ(message_of(path_, [&] { read_run(path_); }),
            "RUN: found nothing there, expected a run directory or a baseline (RUN.csv and "
            "RUN.json)");
  write_file(path_ + ".csv", "a,b\n1,2\n");
  EXPECT_EQ(message_of(path_, [&] { read_run(path_ + ".csv"); }),
            "RUN.csv: found no RUN.json beside it, which describes it; expected the two files of a "
            "baseline, or a run directory");
}

TEST_F(RunDirectory, AFullDiskLeavesWholeVisitsAndTheRunGoesOnOnceThereIsRoom) {
  run_ = synthetic_run(kSmall);
  RunWriter writer(path_, run_.info);
  writer.append_visit(std::span(run_.rows).first(2));
  const std::string before = file_text(results());
  {
    const FileSizeLimit full(before.size() +
                             100);  // the next write is cut short, the one after fails
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

TEST_F(RunDirectory, ReadersBesideAWriterSeeAPrefixOfItsVisits) {
  const SyntheticShape shape{.cases = 150, .metrics = 2, .rounds = 2, .blocks = 2, .samples = 5};
  run_ = synthetic_run(shape);
  run_.info.finished_at.clear();
  RunWriter writer(path_, run_.info);
  std::thread writing([&] { append_rows(writer, run_.rows); });
  std::size_t seen = 0;
  bool grows = true, prefix = true;
  do {
    const plumbline::Run run = read_run(path_);
    grows = grows && run.rows.size() >= seen;
    seen = run.rows.size();
    for (std::size_t i = 0; i < seen; ++i)
      prefix = prefix && run.rows[i].samples == run_.rows[i].samples;
  } while (seen < run_.rows.size());
  writing.join();
  EXPECT_TRUE(grows && prefix);
}

TEST_F(RunDirectory, SeveralRunsAreReadAtOnceInTheOrderAskedFor) {
  const std::vector<std::string> paths{folder_ / "a", folder_ / "b", folder_ / "c"};
  for (std::size_t i = 0; i < paths.size(); ++i)
    write_run(synthetic_run({.cases = 10 * (i + 1), .rounds = 1}), paths[i]);
  const std::vector<plumbline::Run> runs = read_runs(paths);
  ASSERT_EQ(runs.size(), 3u);
  for (std::size_t i = 0; i < paths.size(); ++i) EXPECT_EQ(runs[i].rows.size(), 10 * (i + 1));
  EXPECT_THROW(read_runs({paths[0], folder_ / "none"}), Error);
}

}  // namespace
}  // namespace plumbline
