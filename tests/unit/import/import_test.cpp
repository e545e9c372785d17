#include "import/import.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/expression/expression.h"
#include "store/run/run_reader.h"
#include "support/places.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

/// A mapping of the columns `dev`, `rows`, `kind`, `ms`.
ImportMapping small_mapping() {
  ImportMapping mapping;
  mapping.path = "map.yaml";
  mapping.suite = {"theirs", "map.yaml:1:8"};
  mapping.op = {"softmax", "map.yaml:2:5"};
  mapping.backend = {"other", "map.yaml:3:10"};
  mapping.device = {"$dev", "map.yaml:4:9"};
  mapping.params = {{"rows", {"$rows", "map.yaml:5:16"}}, {"kind", {"$kind", "map.yaml:6:9"}}};
  mapping.metrics = {{"their_time", "ms", "map.yaml:7:9", "s", 1e-3, ""}};
  return mapping;
}

class Import : public testing::Test {
 protected:
  Imported csv(const std::string& text, const ImportMapping& mapping) {
    write_file(file_, text);
    return import_csv(file_, mapping);
  }
  std::string mistake(const std::string& text, const ImportMapping& mapping) {
    try {
      csv(text, mapping);
    } catch (const Error& error) {
      std::string message = error.what();
      for (std::size_t at; (at = message.find(file_)) != std::string::npos;)
        message.replace(at, file_.size(), "FILE");
      return message;
    }
    return "no mistake";
  }

  TemporaryFolder folder_;
  std::string file_ = folder_ / "their.csv";
};

TEST_F(Import, ARowOfATableIsOneSampleOfItsCaseInBaseUnits) {
  const Imported found = csv("dev,rows,kind,ms\nGPU A,64,,1.5\n", small_mapping());
  ASSERT_EQ(found.runs.size(), 1U);
  EXPECT_EQ(found.runs[0].info.environment.device_class, "GPU A");
  EXPECT_EQ(found.runs[0].info.measurement_revision, kForeignRevision);
  ASSERT_EQ(found.runs[0].rows.size(), 1U);
  const ResultRow& row = found.runs[0].rows[0];
  EXPECT_EQ(row.case_id, "softmax/other/rows=64");  // the empty parameter is left out
  EXPECT_EQ(row.status, Status::unverified);
  EXPECT_EQ(row.unit, "s");
  ASSERT_EQ(row.samples.values().size(), 1U);
  EXPECT_DOUBLE_EQ(row.samples.values()[0], 0.0015);
}

TEST_F(Import, EachDeviceAndEachEnvironmentOfItIsARunOfItsOwn) {
  ImportMapping mapping = small_mapping();
  for (const EnvironmentField& field : environment_fields())
    if (field.name == "driver") mapping.environment = {{&field, {"$kind", "map.yaml:9:9"}}};
  mapping.params.pop_back();
  const Imported found = csv(
      "dev,rows,kind,ms\nGPU A,64,v1,1\nGPU B,64,v1,2\nGPU A,64,v2,3\nGPU A,32,v1,4\n", mapping);
  ASSERT_EQ(found.runs.size(), 3U);
  EXPECT_EQ(found.runs[0].path, "gpu-a-v1");
  EXPECT_EQ(found.runs[1].path, "gpu-b");
  EXPECT_EQ(found.runs[2].path, "gpu-a-v2");
  EXPECT_EQ(found.runs[0].rows.size(), 2U);
}

TEST_F(Import, AValueThatCannotBeReadIsNamedWithItsPlace) {
  EXPECT_EQ(mistake("dev,rows,kind,ms\nA,1,x,1\nA,2,x,fast\n", small_mapping()),
            "FILE: row 2 (line 3), column ms: found 'fast', expected a number, or nothing where "
            "there is none");
  EXPECT_EQ(mistake("dev,rows,kind,ms\nA,1,x,inf\n", small_mapping()),
            "FILE: row 1 (line 2), column ms: found 'inf', expected a finite number");
  EXPECT_EQ(mistake("dev,rows,kind,ms\nA,1,x,0\n", small_mapping()),
            "FILE: row 1 (line 2), column ms: found '0', expected a time above 0");
  EXPECT_EQ(mistake("dev,rows,kind,ms\n,1,x,1\n", small_mapping()),
            "FILE: row 1 (line 2): found an empty device class, which map.yaml:4:9 makes of it; "
            "expected a name");
}

TEST_F(Import, TheLastRowNeedsNoNewline) {
  for (const char* last : {"A,2,y,2.5", "A,2,y,\"2.5\"", "A,2,y,2.5\r", "A,2,y,2.5\n"}) {
    const Imported found = csv(std::string("dev,rows,kind,ms\nA,1,x,1\n") + last, small_mapping());
    const std::vector<ResultRow>& rows = found.runs.at(0).rows;
    ASSERT_EQ(rows.size(), 2U) << last;
    EXPECT_EQ(rows[1].case_id, "softmax/other/kind=y/rows=2");
    EXPECT_DOUBLE_EQ(rows[1].samples.values()[0], 0.0025);
  }
  EXPECT_EQ(csv("dev,rows,kind,ms\nA,1,,", small_mapping()).runs[0].rows[0].status,
            Status::unsupported);
}

TEST_F(Import, ATableThatEndsInsideARowIsNoTable) {
  EXPECT_NE(mistake("dev,rows,kind,ms\nA,1,x,1\nA,2,\"x,2", small_mapping()).find("inside quotes"),
            std::string::npos);
  EXPECT_EQ(mistake("dev,rows,kind,ms\nA,1,x,1\nA,2,x", small_mapping()),
            "FILE: row 2 (line 3), column ms: found 3 fields, expected 4 as in the header");
  EXPECT_EQ(mistake("dev,rows,kind,ms", small_mapping()),
            "FILE: found 0 rows; expected at least one result");
}

TEST_F(Import, AValueThatCannotBeAddedUpIsNamedWithItsPlace) {
  EXPECT_EQ(mistake("dev,rows,kind,ms\nA,1,x,1.5e304\n", small_mapping()),
            "FILE: row 1 (line 2), column ms: found '1.5e304', expected numbers up to 1e300 in "
            "size; scale them");
  ImportMapping mapping = small_mapping();
  mapping.metrics[0].factor = 60;
  EXPECT_EQ(mistake("dev,rows,kind,ms\nA,1,x,1.5e308\n", mapping),
            "FILE: row 1 (line 2), column ms: found '1.5e308', expected a finite number");
}

TEST_F(Import, AnEmptyFieldIsAMetricThatTheCaseLacks) {
  ImportMapping mapping = small_mapping();
  mapping.metrics.push_back({"their_bytes", "kind", "map.yaml:8:9", "B", 1, ""});
  mapping.params.pop_back();
  const Imported found = csv("dev,rows,kind,ms\nA,1,,1\nA,2,,\n", mapping);
  const std::vector<ResultRow>& rows = found.runs.at(0).rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].status, Status::unsupported);
  EXPECT_EQ(rows[1].metric, "their_bytes");
  EXPECT_EQ(rows[1].reason, file_ + ": row 1 (line 2), column kind: no value");
  EXPECT_EQ(rows[2].status, Status::unsupported);  // nothing is known about it
  EXPECT_EQ(rows[2].metric, "");
}

TEST_F(Import, AParameterIsANumberOnlyWhereItIsWrittenAsOne) {
  const Imported found =
      csv("dev,rows,kind,ms\nA,128.0,2.1,1\nA,0.5,2.10,2\nA,007,1e3,3\n", small_mapping());
  std::vector<std::string> ids;
  for (const ResultRow& row : found.runs[0].rows) ids.push_back(row.case_id);
  EXPECT_EQ(ids, (std::vector<std::string>{"softmax/other/kind=2.1/rows=128",
                                           "softmax/other/kind=2.10/rows=0.5",
                                           "softmax/other/kind=1e3/rows=007"}));
}

TEST_F(Import, ACaseThatStandsTwiceIsAMistakeUnlessTheMappingSaysWhatItIs) {
  const std::string text = "dev,rows,kind,ms\nA,1,x,1\nA,2,x,5\nA,1,x,3\n";
  ImportMapping mapping = small_mapping();
  EXPECT_NE(mistake(text, mapping).find("row 3 (line 4): found the case"), std::string::npos)
      << mistake(text, mapping);
  mapping.repeats = Repeats::samples;
  Imported found = csv(text, mapping);
  ASSERT_EQ(found.runs[0].rows.size(), 2U);
  EXPECT_EQ(found.runs[0].rows[0].samples.values().size(), 2U);
  mapping.repeats = Repeats::visits;
  found = csv(text, mapping);
  ASSERT_EQ(found.runs[0].rows.size(), 3U);
  EXPECT_EQ(found.runs[0].rows[2].round, 1);
  EXPECT_EQ(found.runs[0].rows[2].samples.values().size(), 1U);
}

TEST_F(Import, RowsThatAreNotAskedForAreCounted) {
  ImportMapping mapping = small_mapping();
  mapping.where = {parse_expression("kind == 'x' and rows < 3"), "kind == 'x' and rows < 3",
                   "map.yaml:9:8"};
  const Imported found = csv("dev,rows,kind,ms\nA,1,x,1\nA,2,y,2\nA,3,x,3\n", mapping);
  EXPECT_EQ(found.runs[0].rows.size(), 1U);
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0],
            "2 of 3 rows are left out: not kind == 'x' and rows < 3 (map.yaml:9:8)");
  EXPECT_NE(mistake("dev,rows,kind,ms\nA,1,y,1\n", mapping).find("'where' leaves all out"),
            std::string::npos);
}

TEST_F(Import, ColumnsThatNothingUsesAreTold) {
  const Imported found = csv("note,dev,rows,kind,ms\nhm,A,1,x,1\n", small_mapping());
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0], "columns that the mapping does not use: note");
}

TEST_F(Import, AColumnThatIsMissingIsNamedWhereTheMappingAsksForIt) {
  EXPECT_EQ(mistake("dev,row,kind,ms\nA,1,x,1\n", small_mapping()),
            "map.yaml:5:16: the column 'rows' is not in FILE; did you mean 'row'?");
}

TEST_F(Import, FieldsThatCommasDoNotTellApartAreOneColumn) {
  EXPECT_EQ(mistake("dev;row;kind;ms\nA;1;x;1\n", small_mapping()),
            "map.yaml:4:9: the column 'dev' is not in FILE; it has: dev;row;kind;ms, one column; "
            "fields are told apart by ','");
}

TEST_F(Import, AValueThatATableDoesNotKnowIsAMistake) {
  ImportMapping mapping = small_mapping();
  mapping.params[1].second.pattern = "$what";
  mapping.tables["what"] = {"kind", "map.yaml:9:9", {{"x", "first"}, {"y", "second"}}};
  const Imported found = csv("dev,rows,kind,ms\nA,1,y,1\n", mapping);
  EXPECT_EQ(found.runs[0].rows[0].case_id, "softmax/other/kind=second/rows=1");
  EXPECT_EQ(mistake("dev,rows,kind,ms\nA,1,z,1\n", mapping),
            "FILE: row 1 (line 2), column kind: found 'z', expected one of table 'what' at "
            "map.yaml:9:9: 'x', 'y'");
}

TEST_F(Import, CostsAreExpressionsOverTheColumns) {
  ImportMapping mapping = small_mapping();
  mapping.flops = {parse_expression("3 * rows"), "3 * rows", "map.yaml:9:9"};
  const Imported found = csv("dev,rows,kind,ms\nA,7,x,1\n", mapping);
  EXPECT_DOUBLE_EQ(found.runs[0].rows[0].flops, 21);
  EXPECT_NE(mistake("dev,rows,kind,ms\nA,many,x,1\n", mapping).find("map.yaml:9:9: '3 * rows' of"),
            std::string::npos);
}

TEST_F(Import, AFieldOfSeveralSamplesIsOneVisit) {
  ImportMapping mapping = small_mapping();
  mapping.metrics[0].separator = "|";
  const Imported found = csv("dev,rows,kind,ms\nA,7,x,1|2|4\n", mapping);
  ASSERT_EQ(found.runs[0].rows.size(), 1U);
  EXPECT_EQ(found.runs[0].rows[0].samples.values().size(), 3U);
  EXPECT_NE(mistake("dev,rows,kind,ms\nA,7,x,1|2|\n", mapping).find("found ''"), std::string::npos);
}

TEST_F(Import, WhatIsWrittenReadsBack) {
  const Imported found = csv("dev,rows,kind,ms\nA,1,x,1\nB,1,x,2\n", small_mapping());
  const auto paths =
      write_imported(found, folder_ / "runs", {"plumbline", "import"}, "2026-01-02T03:04:05Z");
  ASSERT_EQ(paths.size(), 2U);
  const plumbline::Run run = read_run(paths[1]);
  EXPECT_EQ(run.info.environment.device_class, "B");
  EXPECT_EQ(run.info.finished_at, "2026-01-02T03:04:05Z");
  EXPECT_EQ(run.info.suites.at(0).sources.at(0).path, file_);
  EXPECT_DOUBLE_EQ(run.rows.at(0).samples.values()[0], 0.002);
  EXPECT_THROW(write_imported(found, folder_ / "runs", {}, "2026-01-02T03:04:05Z"), Error);
}

const std::string kFixtures = source_dir() / "tests/golden/cli/fixtures/imports/";

TEST_F(Import, RepetitionsOfGoogleBenchmarkAreSamplesOfOneVisitAndFilesAreVisits) {
  const Imported found =
      import_gbench({kFixtures + "gbench.json", kFixtures + "gbench_again.json"}, {"desk", ""});
  ASSERT_EQ(found.runs.size(), 1U);
  const plumbline::Run& run = found.runs[0];
  EXPECT_EQ(run.info.started_at, "2026-11-20T09:15:02Z");
  std::vector<const ResultRow*> copies;
  for (const ResultRow& row : run.rows)
    if (row.op == "BM_Copy" && row.metric == "gbench_real_time") copies.push_back(&row);
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_EQ(copies[0]->case_id, "BM_Copy/vector_bench/arg0=1024");
  EXPECT_EQ(copies[0]->round, 0);
  EXPECT_EQ(copies[1]->round, 1);
  ASSERT_EQ(copies[0]->samples.values().size(), 2U);
  EXPECT_DOUBLE_EQ(copies[0]->samples.values()[1], 121.5e-9);
  EXPECT_NEAR(copies[0]->bytes, 2048, 1);
}

TEST_F(Import, ABenchmarkMayBeCalledAsGoogleBenchmarkCallsAManner) {
  write_file(file_, R"({"context": {"date": "2026-11-20T09:15:02+00:00"}, "benchmarks": [{
      "name": "real_time", "run_name": "real_time", "run_type": "iteration", "iterations": 1,
      "real_time": 2.0, "cpu_time": 1.0, "time_unit": "us"}]})");
  const Imported found = import_gbench({file_}, {"desk", "mine"});
  EXPECT_EQ(found.runs[0].rows[0].case_id, "real_time/mine");
}

TEST_F(Import, ATimeThatNobodyCanReadIsAnErrorAndNotNow) {
  write_file(file_, R"({"context": {"date": "last Tuesday"}, "benchmarks": [{
      "name": "BM_Copy", "run_type": "iteration", "real_time": 2.0, "time_unit": "us"}]})");
  try {
    import_gbench({file_}, {"desk", "mine"});
    FAIL();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with(file_ + ": at /context/date: found ")) << what;
    EXPECT_NE(what.find("a time in ISO 8601, such as"), std::string::npos) << what;
  }
}

TEST_F(Import, AFileGivenTwiceIsNoSecondProcess) {
  const std::string first = kFixtures + "gbench.json", copy = folder_ / "copy.json";
  write_file(copy, file_text(first));
  for (const std::string& again : {first, copy}) {
    try {
      import_gbench({first, kFixtures + "gbench_again.json", again}, {"desk", ""});
      FAIL() << again;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), again + ": found the same results as in " + first +
                                  "; expected files of different processes: name each file once");
    }
  }
  const std::string other = kFixtures + "nvbench.json";
  EXPECT_THROW(import_nvbench({other, other}), Error);
}

TEST_F(Import, ATimeOfGoogleBenchmarkBelowZeroIsAMistakeWithItsPlace) {
  for (const std::string key : {"real_time", "cpu_time"}) {
    const std::string other = key == "real_time" ? "cpu_time" : "real_time";
    write_file(file_, R"({"context": {}, "benchmarks": [{"name": "BM_A", "iterations": 1, ")" +
                          other + R"(": 1.0, ")" + key + R"(": -2.5, "time_unit": "us"}]})");
    try {
      import_gbench({file_}, {"desk", "mine"});
      FAIL() << key;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(),
                file_ + ": at /benchmarks/0/" + key + ": found -2.5, expected a time from 0");
    }
  }
}

TEST_F(Import, WhatGoogleBenchmarkCouldNotMeasureKeepsItsReason) {
  const Imported found = import_gbench({kFixtures + "gbench.json"}, {"desk", ""});
  for (const ResultRow& row : found.runs[0].rows) {
    if (row.op == "BM_Bad") {
      EXPECT_EQ(row.status, Status::unsupported);
      EXPECT_EQ(row.reason, "no such table");
      EXPECT_EQ(row.metric, "");
    }
    if (row.op == "BM_Sort" && row.metric == "gbench_cpu_time") {  // 0 there
      EXPECT_EQ(row.status, Status::unsupported);
    }
  }
  ASSERT_EQ(found.notes.size(), 2U);  // an aggregate, and items_per_second
  EXPECT_THROW(import_gbench({kFixtures + "gbench.json"}), Error);  // the device is unknown
}

TEST_F(Import, WhatPlumblineGbenchWroteIsTheCaseAgain) {
  write_file(file_,
             R"({"context": {"date": "2026-11-20T10:15:02+00:00", "executable": "plumbline-gbench",
    "plumbline_device_kind": "cuda", "plumbline_device_class": "NVIDIA H200",
    "plumbline_measurement_revision": "3"}, "benchmarks": [
    {"name": "quick/gelu/libtorch/rows=64/gpu_time_cold/iterations:1/repeats:2/manual_time",
     "run_name": "quick/gelu/libtorch/rows=64/gpu_time_cold/iterations:1/repeats:2/manual_time",
     "run_type": "iteration", "repetition_index": 0, "iterations": 1, "real_time": 12.5, "cpu_time": 3,
     "time_unit": "us", "FLOP/s": 2e6},
    {"name": "quick/gelu/libtorch/rows=64/gpu_time_cold/iterations:1/repeats:2/manual_time",
     "run_name": "quick/gelu/libtorch/rows=64/gpu_time_cold/iterations:1/repeats:2/manual_time",
     "run_type": "iteration", "repetition_index": 1, "iterations": 1, "real_time": 13.5, "cpu_time": 3,
     "time_unit": "us", "label": "bimodal; trend"},
    {"name": "quick/add/libtorch/rows=64/gpu_time_cold/iterations:1/manual_time",
     "run_name": "quick/add/libtorch/rows=64/gpu_time_cold/iterations:1/manual_time",
     "run_type": "iteration", "repetition_index": 0, "error_occurred": true,
     "error_message": "WRONG: error 0.5 above 0.1", "real_time": 0, "cpu_time": 0, "time_unit": "ns"}]})");
  const Imported found = import_gbench({file_});
  const plumbline::Run& run = found.runs.at(0);
  EXPECT_EQ(run.info.measurement_revision, 3);
  EXPECT_EQ(run.info.environment.device_kind, "cuda");
  ASSERT_EQ(run.rows.size(), 3U);
  for (const ResultRow& row : run.rows) {
    EXPECT_EQ(row.suite, "quick");
    EXPECT_EQ(row.backend, "libtorch");
    if (row.op == "add") {
      EXPECT_EQ(row.status, Status::wrong);
      EXPECT_EQ(row.reason, "error 0.5 above 0.1");
      continue;
    }
    EXPECT_EQ(row.case_id, "gelu/libtorch/rows=64");
    EXPECT_EQ(row.metric, "gpu_time_cold");
    EXPECT_EQ(row.status, Status::ok);
    EXPECT_DOUBLE_EQ(row.samples.values()[0], row.round == 0 ? 12.5e-6 : 13.5e-6);
    EXPECT_EQ(row.flags.size(), row.round == 0 ? 0U : 2U);
  }
}

TEST_F(Import, NvbenchsMeansAreValuesAndItsDeviceIsTheEnvironment) {
  const Imported found = import_nvbench({kFixtures + "nvbench.json"});
  const plumbline::Run& run = found.runs.at(0);
  EXPECT_EQ(run.path, "nvidia-h200");
  EXPECT_EQ(run.info.environment.device_units, 132);
  EXPECT_EQ(run.info.environment.ecc, true);
  ASSERT_EQ(run.rows.size(), 4U);  // three times of one state, and a skipped one
  EXPECT_EQ(run.rows[0].metric, "nvbench_gpu_time_cold");
  EXPECT_DOUBLE_EQ(run.rows[0].samples.values()[0], 8.25e-6);
  EXPECT_DOUBLE_EQ(run.rows[0].bytes, 5e11 * 8.25e-6);
  EXPECT_EQ(run.rows[0].case_id, "base/cub.bench.reduce.sum/Elements{io}=1048576/T{ct}=F32");
  EXPECT_EQ(run.rows[3].status, Status::unsupported);
  EXPECT_EQ(run.rows[3].reason, "NVBench skipped it: out of memory");
  ASSERT_EQ(found.notes.size(), 2U);
  EXPECT_NE(found.notes[0].find("nv/cold/sample_size (1)"), std::string::npos);
  EXPECT_EQ(found.notes[1], kFixtures +
                                "nvbench.json: its times are means, one value each; NVBench writes "
                                "samples with --jsonbin");
}

TEST_F(Import, JsonOfAnotherKindIsRefusedWithItsPath) {
  write_file(file_, R"({"devices": [], "benchmarks": [{"name": "b", "states": [{"device": 3,
    "summaries": [{"tag": "nv/cold/time/gpu/mean", "data": [{"name": "value", "type": "float64", "value": "x"}]}]}]}]})");
  const auto message = [&](auto import) {
    try {
      import();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no mistake");
  };
  EXPECT_EQ(
      message([&] { import_nvbench({file_}); }),
      file_ + ": at /benchmarks/0/states/0/summaries/0/data/0/value: found 'x', expected a number");
  EXPECT_NE(message([&] { import_gbench({file_}); }).find("an object with 'context'"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
