#include "store/run/run_reader.h"

#include <filesystem>
#include <thread>

#include "unit/store/run/run_on_disk.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

using RunReaderTest = RunDirectory;

TEST_F(RunReaderTest, WhatIsWrittenIsReadBack) {
  write(true);
  const plumbline::Run back = read_run(path_);
  EXPECT_EQ(text_of(back.rows), text_of(run_.rows));
  EXPECT_EQ(back.info.environment, run_.info.environment);
  EXPECT_EQ(back.info.command, run_.info.command);
  EXPECT_EQ(back.info.finished_at, "2026-01-01T01:00:00Z");
  EXPECT_EQ(back.path, path_);
  EXPECT_TRUE(back.warnings.empty());
}

TEST_F(RunReaderTest, IsFoundByItsFilesToo) {
  write(true);
  for (const std::string& path : {path_ + "/", results(), json()})
    EXPECT_EQ(read_run(path).rows.size(), 12u) << path;
}

TEST_F(RunReaderTest, AnUnfinishedRunSaysSo) {
  write(false);
  EXPECT_NE(file_text(json()).find("\"finished_at\": null"), std::string::npos);
  EXPECT_EQ(read_run(path_).info.finished_at, "");
  EXPECT_FALSE(fs::exists(path_ + "/summary.csv"));
}

TEST_F(RunReaderTest, ATornRowOfAnUnfinishedRunIsLeftOutWithAWarning) {
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

TEST_F(RunReaderTest, ATornRowOfAFinishedRunIsAnError) {
  write(true);
  fs::resize_file(results(), fs::file_size(results()) - 1);
  EXPECT_EQ(read_error(),
            "RUN/results.csv: row 12 (line 13), column code: found the end of the file inside "
            "the row, expected a complete row that ends in a newline; the run is finished, so the "
            "file is damaged: restore it");
}

TEST_F(RunReaderTest, AFinishedRunWhoseResultsWereChangedIsReadAndSaysSo) {
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

TEST_F(RunReaderTest, DamagedFieldsAreNamedByRowLineColumnAndWhatWasExpected) {
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

TEST_F(RunReaderTest, ColumnsMayStandInAnyOrderAndNewOnesArePassedOver) {
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

TEST_F(RunReaderTest, RunJsonThatIsMissingTornForeignOrNewerIsAnError) {
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

TEST_F(RunReaderTest, PathsThatAreNoRunAreErrors) {
  EXPECT_EQ(message_of(path_, [&] { read_run(path_); }),
            "RUN: found nothing there, expected a run directory or a baseline (RUN.csv and "
            "RUN.json)");
  write_file(path_ + ".csv", "a,b\n1,2\n");
  EXPECT_EQ(message_of(path_, [&] { read_run(path_ + ".csv"); }),
            "RUN.csv: found no RUN.json beside it, which describes it; expected the two files of a "
            "baseline, or a run directory");
}

TEST_F(RunReaderTest, ReadersBesideAWriterSeeAPrefixOfItsVisits) {
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

TEST_F(RunReaderTest, SeveralRunsAreReadAtOnceInTheOrderAskedFor) {
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
