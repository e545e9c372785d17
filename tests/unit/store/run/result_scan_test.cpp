#include "store/run/result_scan.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/run/earlier_visits.h"
#include "store/csv/columns.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

/// results.csv of three cases with two metrics in two rounds, open to damage.
class ResultScan : public testing::Test {
 protected:
  ResultScan() { write_run(run_, folder_ / "run"); }
  static std::string text_of(const std::vector<ResultRow>& rows) {
    std::string text;
    for (ResultRow row : rows) {
      row.spent_s.clear();  // readers do not keep it
      append_row(row, text);
    }
    return text;
  }
  /// The message of the Error that `scan` throws.
  template <class Scan>
  std::string mistake_of(Scan scan) const {
    try {
      scan();
    } catch (const Error& error) {
      std::string message = error.what();
      return message.replace(message.find(file_), file_.size(), "FILE");
    }
    return "no mistake";
  }
  /// What a scan of rows says; one of visits must say the same.
  std::string mistake() const {
    const std::string found = mistake_of([&] { scan_results(file_, VisitOrder::contiguous); });
    EXPECT_EQ(mistake_of([&] {
                EarlierVisits visits;
                scan_visits(file_, visits);
              }),
              found);
    return found;
  }

  TemporaryFolder folder_;
  plumbline::Run run_ = synthetic_run({.cases = 3, .metrics = 2, .rounds = 2});
  std::string file_ = folder_ / "run/results.csv";
};

TEST_F(ResultScan, AVisitThatStandsTwiceIsAnErrorAndNoFurtherVisit) {
  const std::string whole = file_text(file_);
  write_file(file_, whole + text_of({run_.rows[0], run_.rows[1]}));
  const std::string message = mistake();
  EXPECT_NE(message.find("FILE: row 13, column round: found 'gemm/"), std::string::npos) << message;
  EXPECT_TRUE(message.ends_with(" in round 0 again, expected each visit once; row 1 has it"))
      << message;
}

TEST_F(ResultScan, ACaseThatChangesItsProblemOrUnitBetweenRowsIsAnError) {
  ASSERT_EQ(run_.rows[6].case_id, run_.rows[0].case_id) << "the second round";
  for (const auto& [member, column] : {std::pair(&ResultRow::op, "op"),
                                       {&ResultRow::backend, "backend"},
                                       {&ResultRow::revision, "revision"},
                                       {&ResultRow::unit, "unit"}}) {
    std::vector<ResultRow> rows = run_.rows;
    rows[6].*member = "other";
    const std::string header = file_text(file_).substr(0, file_text(file_).find('\n') + 1);
    write_file(file_, header + text_of(rows));
    const std::string message = mistake();
    EXPECT_NE(
        message.find(std::string("FILE: row 7, column ") + column + ": found 'other' of 'gemm/"),
        std::string::npos)
        << message;
    EXPECT_TRUE(message.ends_with(" as in row 1")) << message;
  }
}

TEST_F(ResultScan, OfVisitsAloneKnowsWhatOfTheVisitsIsNeededAndHoldsNoRows) {
  for (std::size_t i : {2, 3}) {
    run_.rows[i].status = Status::unsupported;
    static_cast<MeasuredMetric&>(run_.rows[i]) = {};
  }
  run_.rows[3].metric = "absent";
  write_file(file_, file_text(file_).substr(0, file_text(file_).find('\n') + 1) +
                        text_of({run_.rows.begin(), run_.rows.end() - 1}));
  EarlierVisits visits;
  const auto scan = scan_visits(file_, visits);
  const auto whole = scan_results(file_, VisitOrder::contiguous);
  EXPECT_TRUE(scan.rows.empty());
  EXPECT_EQ(scan.visit_rows, 10u);
  EXPECT_EQ(scan.visit_bytes, whole.visit_bytes);
  EXPECT_EQ(scan.hash.text(), whole.hash.text());
  EXPECT_EQ(scan.incomplete, whole.incomplete);
  ASSERT_TRUE(scan.incomplete);
  EXPECT_TRUE(scan.incomplete->starts_with(
      file_ + ": row 11: found the end after 1 of the 2 rows of the visit of 'gemm/"))
      << *scan.incomplete;
  ASSERT_EQ(visits.size(), 5u) << "without the incomplete one";
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const ResultRow& row = run_.rows[2 * i];
    EXPECT_EQ(visits[i].suite, row.suite);
    EXPECT_EQ(visits[i].case_id, row.case_id);
    EXPECT_EQ(visits[i].worker, row.worker);
    EXPECT_EQ(visits[i].round, row.round);
    EXPECT_EQ(visits[i].status, row.status);
    EXPECT_EQ(visits[i].has_metric, i != 1);
  }
}

TEST_F(ResultScan, EmptyNamesAndNumbersTooLargeAreRefusedWithTheirPlace) {
  const std::string header =
      "suite,case,op,backend,revision,status,metric,unit,round,worker,part,samples\n";
  const auto mistake_of_row = [&](const std::string& row) {
    write_file(file_, header + "s,a/b,a,b,1,OK,time,s,0,w,1/1,1e-3;1e-3\n" + row + "\n");
    return mistake();
  };
  EXPECT_EQ(mistake_of_row("s,a/b,a,b,1,OK,time,s,1,w,1/1,1e-3"), "no mistake");
  EXPECT_EQ(mistake_of_row(",a/b,a,b,1,OK,time,s,1,w,1/1,1e-3"),
            "FILE: row 2 (line 3), column suite: found '', expected the name of a suite");
  EXPECT_EQ(mistake_of_row("s,,a,b,1,OK,time,s,1,w,1/1,1e-3"),
            "FILE: row 2 (line 3), column case: found '', expected the id of a case, "
            "op/backend/key=value/…");
  EXPECT_EQ(mistake_of_row("s,a/b,a,b,1,OK,,s,1,w,1/1,1e-3"),
            "FILE: row 2 (line 3), column metric: found '', expected the name of what the samples "
            "measure");
  EXPECT_EQ(mistake_of_row("s,a/b,a,b,1,OK,time,,1,w,1/1,1e-3"),
            "FILE: row 2 (line 3), column unit: found '', expected the unit of the samples, such "
            "as s");
  EXPECT_EQ(mistake_of_row("s,a/b,a,b,1,OK,time,s,1,w,1/1,1e308;1.5e308"),
            "FILE: row 2 (line 3), column samples: found 1e+308, expected numbers up to 1e300 in "
            "size; scale them");
}

}  // namespace
}  // namespace plumbline
