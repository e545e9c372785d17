#include "core/run/earlier_visits.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

ResultRow row_of(const std::string& id, std::int64_t round, const std::string& metric) {
  ResultRow row;
  row.suite = "s";
  row.case_id = id;
  row.worker = "timing-" + std::to_string(round);
  row.round = round;
  row.metric = metric;
  return row;
}

TEST(EarlierVisits, AreToldByTheirFirstRowsAndSharedByCopies) {
  std::vector<ResultRow> rows{row_of("a", 0, "gpu_time"), row_of("a", 0, "host_time"),
                              row_of("b", 0, ""), row_of("a", 1, "gpu_time")};
  number_rows(std::span(rows).first(2));
  rows[2].status = Status::crashed;
  EarlierVisits visits(rows);
  ASSERT_EQ(visits.size(), 3u);
  EXPECT_EQ(visits[0].case_id, "a");
  EXPECT_TRUE(visits[0].has_metric);
  EXPECT_EQ(visits[1].case_id, "b");
  EXPECT_EQ(visits[1].status, Status::crashed);
  EXPECT_FALSE(visits[1].has_metric);
  const EarlierVisits copy = visits;
  EXPECT_EQ(copy[2].case_id, "a");
  EXPECT_EQ(copy[2].suite, "s");
  EXPECT_EQ(copy[2].worker, "timing-1");
  EXPECT_EQ(copy[2].round, 1);
  visits.drop_last();
  EXPECT_EQ(copy.size(), 2u);
}

}  // namespace
}  // namespace plumbline
