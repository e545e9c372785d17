#include "store/run/run_parts.h"

#include "analysis/estimate/estimate.h"
#include "unit/store/run/run_on_disk.h"

namespace plumbline {
namespace {

/// A run whose cases have rows in all rounds, so that no case's rows are together in the file.
class RunParts : public RunDirectory {
 protected:
  RunParts() { write(true, {.cases = 7, .metrics = 2, .rounds = 3, .blocks = 2, .samples = 2}); }

  /// Suite, id, device, status and rows of each case, in their order.
  static std::vector<std::string> texts_of(const plumbline::Run& run) {
    std::vector<std::string> texts;
    for (const CaseRows& found : rows_by_case(run)) {
      std::string& text = texts.emplace_back();
      for (const std::string_view part :
           {found.suite, found.case_id, found.device, name_of(found.status)})
        text += std::string(part) + " ";
      for (const ResultRow* row : found.rows) text += text_of({*row});
      for (const MetricRows& metric : found.metrics)
        text += std::string(metric.metric) + std::to_string(metric.rows.size());
    }
    return texts;
  }
};

TEST_F(RunParts, HaveEachCaseAsItIsInTheWholeRunHoweverLittleIsHeld) {
  run_ = read_run(path_);
  run_.rows[3].suite = "another";  // one id in two suites is two cases
  run_.rows[2].suite = "another";
  run_.rows[16].device = "GPU-2";
  run_.rows[17].device = "GPU-2";
  write_file(results(), header_line() + text_of(run_.rows));
  const std::vector<std::string> wanted = texts_of(run_);
  ASSERT_EQ(wanted.size(), 8u);
  const std::uint64_t file_bytes = file_text(results()).size();
  const std::map<std::uint64_t, std::size_t> parts_of{
      {1, 8}, {file_bytes / 3, 4}, {file_bytes, 1}, {kMostBytesHeld, 1}};
  for (const auto& [most_bytes, parts] : parts_of) {
    std::vector<std::string> found;
    std::size_t calls = 0;
    const auto take = [&](const plumbline::Run& part) {
      ++calls;
      EXPECT_EQ(part.info.started_at, run_.info.started_at);
      for (const std::string& text : texts_of(part)) found.push_back(text);
    };
    for_each_part(results(), run_.info, take, most_bytes);
    EXPECT_EQ(found, wanted) << most_bytes;
    EXPECT_EQ(calls, parts) << most_bytes;
  }
}

TEST_F(RunParts, OfARunWithoutRowsThereAreNone) {
  write_file(results(), header_line());
  for_each_part(results(), run_.info, [](const plumbline::Run&) { FAIL(); });
}

TEST_F(RunParts, AreRefusedWithTheRowThatCannotBeRead) {
  replace(results(), ",OK,", ",KO,");
  EXPECT_NE(
      message_of(path_, [&] { for_each_part(results(), run_.info, [](const plumbline::Run&) {}); })
          .find("RUN/results.csv: row 1 (line 2), column status: found 'KO'"),
      std::string::npos);
}

}  // namespace
}  // namespace plumbline
