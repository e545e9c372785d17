#include "store/csv/columns.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>

#include "store/csv/csv_reader.h"
#include "support/places.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

/// `row` after writing to a file and reading.
ResultRow written_and_read(const ResultRow& row) {
  const TemporaryFolder folder;
  std::string text = header_line();
  append_row(row, text);
  write_file(folder / "r.csv", text);
  CsvReader reader(folder / "r.csv");
  const ColumnBinding<ResultRow> binding(reader, result_columns(), "r.csv");
  EXPECT_TRUE(reader.next());
  const ResultRow back = binding.parse(reader);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.torn());
  return back;
}

/// Without the fields that readers do not keep.
std::string text_of(ResultRow row) {
  row.spent_s.clear();
  std::string text;
  append_row(row, text);
  return text;
}

ResultRow full_row() {
  ResultRow row = synthetic_row({.metrics = 2}, 2, 7, 1);
  row.reason = "none needed";
  row.throttle = "sw_power_cap+hw_thermal";
  row.flags = {"bimodal", "trend"};
  row.batch = 128;
  row.block_placements = {3, -1, 3};
  row.block_causes = {"", "thermal, and more", ""};
  row.age_s = 12.5;
  row.plan = R"([{"plan": "padded", "index": 1, "candidates": 4}])";
  row.timers_s = {{"events", 1.25e-05}, {"cupti_span", 1e-05}};
  row.repeats = kRepeatsVaries;
  return row;
}

TEST(Columns, SpentIsWrittenAndCheckedAndNotKept) {
  ResultRow row = full_row();
  row.spent_s = {{"launch", 0.5}, {"prepare", 0.25}};
  std::string text;
  append_row(row, text);
  EXPECT_NE(text.find("launch=0.5;prepare=0.25"), std::string::npos);
  EXPECT_TRUE(written_and_read(row).spent_s.empty());
}

TEST(Columns, SecondsByNameAreReadStrictly) {
  NamedSeconds seconds;
  EXPECT_EQ(parse_field("events=1.25e-05;cupti_span=1e-05", seconds), "");
  EXPECT_EQ(seconds, (NamedSeconds{{"cupti_span", 1e-5}, {"events", 1.25e-5}}));
  EXPECT_TRUE(parse_field("", seconds).empty() && seconds.empty());
  for (const char* text : {"events", "=1", "events=", "events=1s", "events=1;;x=2", "a=1,b=2"})
    EXPECT_NE(parse_field(text, seconds), "") << text;
}

TEST(Columns, EveryFieldOfARowSurvivesTheFile) {
  const ResultRow row = full_row(), back = written_and_read(row);
  EXPECT_EQ(text_of(back), text_of(row));
  EXPECT_EQ(back.samples, row.samples);
  EXPECT_EQ(back.block_times_s, row.block_times_s);
  EXPECT_EQ(back.block_clocks_hz, row.block_clocks_hz);
  EXPECT_EQ(back.flags, row.flags);
  EXPECT_EQ(back.block_placements, row.block_placements);
  EXPECT_EQ(back.block_causes, row.block_causes);
  EXPECT_EQ(back.age_s, 12.5);
  EXPECT_EQ(back.timers_s, row.timers_s);
  EXPECT_EQ(back.part, 2);
  EXPECT_EQ(back.parts, 2);
  EXPECT_EQ(back.batch, 128);
  EXPECT_EQ(back.round, 2);
  EXPECT_EQ(back.order, 7);
  EXPECT_EQ(back.worker, "timing:4002");
  EXPECT_EQ(back.floor_s, 2.784e-6);
}

TEST(Columns, EveryColumnDiffersFromItsDefaultSomewhereSoNoneIsForgotten) {
  std::string full = header_line(), plain = header_line();
  append_fields(result_columns(), full_row(), full);
  append_fields(result_columns(), ResultRow{}, plain);
  const TemporaryFolder folder;
  write_file(folder / "full.csv", full);
  write_file(folder / "plain.csv", plain);
  CsvReader a(folder / "full.csv"), b(folder / "plain.csv");
  ASSERT_TRUE(a.next() && b.next());
  for (std::size_t i = 0; i < a.fields(); ++i)
    if (a.header()[i] != "status") {
      EXPECT_NE(a.field(i), b.field(i)) << a.header()[i];
    }
}

TEST(Columns, CausesAreNothingWhereAllBlocksCount) {
  ResultRow row = full_row();
  row.block_causes = {"", "", ""};
  EXPECT_TRUE(written_and_read(row).block_causes.empty());
  row.block_causes = {"", "", "thermal"};
  EXPECT_EQ(written_and_read(row).block_causes, row.block_causes);
}

TEST(Columns, AFileWithoutTheColumnsThatCameLaterIsRead) {
  const TemporaryFolder folder;
  write_file(folder / "r.csv",
             "suite,case,op,backend,revision,status,metric,unit,round,worker,part,samples\n"
             "s,c,o,b,1,OK,gpu_time_cold,s,0,timing:1,1/1,1;2|3\n");
  CsvReader reader(folder / "r.csv");
  const ColumnBinding<ResultRow> binding(reader, result_columns(), "r.csv");
  ASSERT_TRUE(reader.next());
  const ResultRow row = binding.parse(reader);
  EXPECT_EQ(row_mistake(row).column, "");
  EXPECT_TRUE(row.block_placements.empty() && row.block_causes.empty() && row.timers_s.empty());
  EXPECT_TRUE(std::isnan(row.age_s));
}

TEST(Columns, AMetricThatAVisitCouldNotMeasureIsARowWithItsReason) {
  ResultRow row = full_row();
  row.status = Status::unsupported;
  row.reason = "CUPTI lost records";
  row.metric = "kernel_time_cold";
  row.samples = {};
  row.block_times_s = row.block_clocks_hz = {};
  row.block_placements.clear();
  row.block_causes.clear();
  const ResultRow back = written_and_read(row);
  EXPECT_EQ(back.metric, "kernel_time_cold");
  EXPECT_EQ(back.status, Status::unsupported);
  EXPECT_EQ(back.reason, "CUPTI lost records");
}

TEST(Columns, HostileTextSurvivesTheFile) {
  const std::string texts[] = {"quote \" and \"\" two",
                               "a,b;c|d",
                               "line\nbreak",
                               "line\r\nbreak",
                               "lone\rreturn",
                               "</script><script>alert(1)</script>",
                               "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xE2\x80\xAE rtl",
                               std::string("nul\0inside", 10),
                               "  blanks around  ",
                               "\ttab\t",
                               "\"",
                               "\n",
                               "=cmd|'/c calc'!A0",
                               "\xff\xfe not utf-8",
                               "\xEF\xBB\xBF mark",
                               std::string(10000, 'x') + ",\"\n" + std::string(10000, '"')};
  for (const std::string& text : texts) {
    ResultRow row = full_row();
    row.suite = row.case_id = row.op = row.backend = row.revision = row.device = row.reason =
        row.metric = row.unit = row.worker = row.throttle = row.kernels = text;
    const ResultRow back = written_and_read(row);
    EXPECT_EQ(back.case_id, text);
    EXPECT_EQ(text_of(back), text_of(row));
  }
}

TEST(Columns, EveryDoubleSurvivesTheFile) {
  constexpr double kExtremes[] = {0.0,     -0.0,
                                  5e-324,  2.2250738585072014e-308,
                                  1e-6,    0.1,
                                  1.0 / 3, 1.7976931348623157e299,
                                  -1.5e-9, 123456789012345678.0};
  SyntheticNoise noise(3);
  std::vector<double> block(std::begin(kExtremes), std::end(kExtremes));
  for (int i = 0; i < 2000; ++i)
    block.push_back(noise.uniform() * std::pow(10.0, 40 * noise.normal()));
  ResultRow row = full_row();
  row.samples = {};
  row.samples.add_block(block);
  row.block_times_s = {std::numeric_limits<double>::infinity()};
  row.block_clocks_hz = {kUnknown};
  row.block_placements.clear();
  row.block_causes.clear();
  row.tolerance = kUnknown;
  const ResultRow back = written_and_read(row);
  EXPECT_EQ(back.samples, row.samples);
  EXPECT_TRUE(std::signbit(back.samples.values()[1]));
  EXPECT_EQ(back.block_times_s, row.block_times_s);
  EXPECT_TRUE(std::isnan(back.block_clocks_hz.at(0)));
  EXPECT_TRUE(std::isnan(back.tolerance));
}

TEST(Columns, NumbersDoNotDependOnTheLocale) {
  const char* const before = std::setlocale(LC_ALL, nullptr);
  const std::string kept = before;
  for (const char* name : {"de_DE.UTF-8", "C.UTF-8"}) std::setlocale(LC_ALL, name);
  EXPECT_EQ(written_and_read(full_row()).floor_s, 2.784e-6);
  std::setlocale(LC_ALL, kept.c_str());
}

TEST(Columns, ARowThatNoReaderWouldTakeIsNotWritten) {
  const auto message = [](const ResultRow& row) {
    std::string out = "before";
    try {
      append_row(row, out);
    } catch (const Error& error) {
      EXPECT_EQ(out, "before");
      return std::string(error.what());
    }
    return std::string("written");
  };
  ResultRow row = full_row();
  row.case_id = "a/b";
  row.samples = {};
  EXPECT_EQ(
      message(row),
      "result of 'a/b', column samples: found none, expected samples, because the status is OK");
  row = full_row();
  row.case_id = "a/b";
  row.block_times_s = {1, 2};
  EXPECT_EQ(message(row),
            "result of 'a/b', column block_times: found 2 numbers, expected one for each block of "
            "the samples, 3");
  row = full_row();
  row.case_id = "a/b";
  row.block_placements = {1};
  EXPECT_EQ(message(row),
            "result of 'a/b', column block_placements: found 1 number, expected one for each block "
            "of the samples, 3");
  row = full_row();
  row.case_id = "a/b";
  row.block_causes = {"thermal", ""};
  EXPECT_EQ(message(row),
            "result of 'a/b', column block_causes: found 2 texts, expected one for each block of "
            "the samples, 3");
  row.block_causes = {"a;b", "", ""};
  EXPECT_EQ(message(row),
            "result of 'a/b', column block_causes: found 'a;b', expected texts without ';'");
  row = full_row();
  row.case_id = "a/b";
  row.timers_s = {{"a;b", 1.0}};
  EXPECT_EQ(message(row),
            "result of 'a/b', column timers: found 'a;b', expected names without ';' and '='");
  row = full_row();
  row.case_id = "a/b";
  row.flags = {"a;b"};
  EXPECT_EQ(message(row), "result of 'a/b', column flags: found 'a;b', expected names without ';'");
  row = full_row();
  row.case_id = "a/b";
  row.samples.add_block(std::vector<double>{kUnknown});
  EXPECT_EQ(message(row), "result of 'a/b', column samples: found nan, expected finite numbers");
  row.samples = {};
  row.samples.add_block({});
  row.samples.add_block(std::vector<double>{1.0});
  EXPECT_EQ(message(row),
            "result of 'a/b', column samples: found an empty block, expected samples in each");
}

TEST(Columns, TheReadmeOfTheStoreHoldsTheTable) {
  const std::string readme = file_text(source_dir() / "harness/store/README.md");
  EXPECT_NE(readme.find(columns_markdown()), std::string::npos)
      << "expected in harness/store/README.md:\n"
      << columns_markdown();
}

TEST(Columns, ARowWithoutANameIsAMistakeOfItsColumn) {
  const auto mistake = [](std::string ResultRow::*member, const char* text) {
    ResultRow row = synthetic_row({}, 0, 0, 0);
    row.*member = text;
    const RowMistake found = row_mistake(row);
    return std::string(found.column) + ": " + found.found + ", " + found.expected;
  };
  EXPECT_EQ(mistake(&ResultRow::suite, ""), "suite: '', the name of a suite");
  EXPECT_EQ(mistake(&ResultRow::case_id, " \t"),
            "case: ' ⟨U+0009⟩', the id of a case, op/backend/key=value/…");
  EXPECT_EQ(mistake(&ResultRow::metric, ""), "metric: '', the name of what the samples measure");
  EXPECT_EQ(mistake(&ResultRow::unit, ""), "unit: '', the unit of the samples, such as s");
  ResultRow crashed = synthetic_row({}, 0, 0, 0);
  crashed.status = Status::crashed;
  crashed.metric = crashed.unit = "";
  crashed.samples = {};
  crashed.block_times_s = crashed.block_clocks_hz = {};
  EXPECT_EQ(row_mistake(crashed).column, "");
}

TEST(Columns, SamplesThatCannotBeAddedUpAreAMistake) {
  ResultRow row = synthetic_row({}, 0, 0, 0);
  row.block_times_s = row.block_clocks_hz = {};
  row.samples = {};
  const double samples[] = {1e300, -1e300, 5e-324};
  row.samples.add_block(samples);
  EXPECT_EQ(row_mistake(row).column, "");
  const double larger = -1.5e300;
  row.samples.add_block({&larger, 1});
  EXPECT_EQ(row_mistake(row).found, "-1.5e+300");
  EXPECT_EQ(row_mistake(row).expected, "numbers up to 1e300 in size; scale them");
}

}  // namespace
}  // namespace plumbline
