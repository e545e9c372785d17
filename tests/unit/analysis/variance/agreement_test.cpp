#include "analysis/variance/agreement.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"

namespace plumbline {
namespace {

CaseVariance row_of(const std::string& case_id, std::vector<double> estimates,
                    const std::string& metric = "gpu_time_cold", const std::string& unit = "s") {
  CaseVariance row;
  row.case_id = case_id;
  row.metric = metric;
  row.unit = unit;
  row.estimates = std::move(estimates);
  return row;
}

const Agreement& of(const AgreementTable& table, const std::string& runs, double at_least_s,
                    const std::string& metric = "gpu_time_cold") {
  const auto found = std::ranges::find_if(table.rows, [&](const Agreement& one) {
    return one.runs == runs && one.at_least_s == at_least_s && one.metric == metric;
  });
  if (found == table.rows.end()) throw Error("no row of " + runs);
  return *found;
}

TEST(Agreement, is_the_quantiles_of_the_ratios_of_a_pair_and_names_the_largest) {
  std::vector<CaseVariance> table;
  for (int i = 0; i <= 100; ++i)
    table.push_back(row_of("n=" + std::to_string(i), {1e-4, 1e-4 * (1 + 0.0001 * i)}));
  const AgreementTable found = agreement(table, 2);
  ASSERT_EQ(found.rows.size(), 2u);  // long ones, and all
  const Agreement& all = of(found, "1 and 2", 0);
  EXPECT_EQ(all.count, 101u);
  EXPECT_NEAR(all.median, 0.005, 1e-12);
  EXPECT_NEAR(all.p90, 0.009, 1e-12);
  EXPECT_NEAR(all.p99, 0.0099, 1e-12);
  EXPECT_NEAR(all.max, 0.01, 1e-12);
  EXPECT_EQ(all.max_case, "n=100");
}

TEST(Agreement, a_smaller_second_run_counts_as_much) {
  const std::vector<CaseVariance> table{row_of("a", {1e-4, 1.01e-4}), row_of("b", {1e-4, 0.97e-4})};
  const auto found = agreement(table, 2);
  const Agreement& all = of(found, "1 and 2", 0);
  EXPECT_NEAR(all.max, 0.03, 1e-12);
  EXPECT_EQ(all.max_case, "b");
}

TEST(Agreement, long_launches_are_counted_by_themselves_and_only_where_it_is_a_time) {
  const std::vector<CaseVariance> table{row_of("short", {2e-6, 2.2e-6}),
                                        row_of("long", {1e-4, 1.002e-4}),
                                        row_of("memory", {1e6, 1e6}, "peak_memory", "B")};
  const AgreementTable found = agreement(table, 2);
  EXPECT_EQ(of(found, "1 and 2", kLongLaunch_s).count, 1u);
  EXPECT_EQ(of(found, "1 and 2", kLongLaunch_s).max_case, "long");
  EXPECT_EQ(of(found, "1 and 2", 0).count, 2u);
  EXPECT_EQ(of(found, "1 and 2", 0, "peak_memory").count, 1u);
  EXPECT_THROW(of(found, "1 and 2", kLongLaunch_s, "peak_memory"), Error);
}

TEST(Agreement, four_runs_are_two_pairs_and_what_lies_across_them) {
  const std::vector<CaseVariance> table{row_of("a", {1.0, 1.001, 1.02, 1.023})};
  const AgreementTable found = agreement(table, 4);
  EXPECT_EQ(of(found, "1 and 2", 0).count, 1u);
  EXPECT_NEAR(of(found, "3 and 4", 0).max, 1.023 / 1.02 - 1, 1e-12);
  EXPECT_EQ(of(found, "within pairs", 0).count, 2u);
  EXPECT_NEAR(of(found, "within pairs", 0).max, 1.023 / 1.02 - 1, 1e-12);
  EXPECT_EQ(of(found, "across pairs", 0).count, 4u);
  EXPECT_NEAR(of(found, "across pairs", 0).max, 0.023, 1e-12);
  EXPECT_NEAR(of(found, "across pairs", 0).median, (0.02 + 1.023 / 1.001 - 1) / 2, 1e-12);
}

TEST(Agreement, departures_are_the_largest_of_each_case_above_the_limit) {
  const std::vector<CaseVariance> table{row_of("quiet", {1.0, 1.005, 1.0, 1.005}),
                                        row_of("across", {1.0, 1.001, 1.02, 1.023}),
                                        row_of("within", {1.0, 1.03, 1.02, 1.0})};
  const AgreementTable found = agreement(table, 4);
  ASSERT_EQ(found.departures.size(), 3u);
  EXPECT_EQ(found.departures[0].row, 2u);
  EXPECT_FALSE(found.departures[0].is_across);
  EXPECT_NEAR(found.departures[0].change, 0.03, 1e-12);
  EXPECT_EQ(found.departures[1].row, 2u);  // 1.03 against 1.0
  EXPECT_TRUE(found.departures[1].is_across);
  EXPECT_EQ(found.departures[1].first, 1u);
  EXPECT_EQ(found.departures[1].second, 3u);
  EXPECT_LT(found.departures[1].change, 0);
  EXPECT_EQ(found.departures[2].row, 1u);
  EXPECT_TRUE(found.departures[2].is_across);
  EXPECT_NEAR(found.departures[2].change, 0.023, 1e-12);
  EXPECT_EQ(agreement(table, 4, 0.05).departures.size(), 0u);
}

TEST(Agreement, what_a_run_lacks_is_counted_and_left_out) {
  const std::vector<CaseVariance> table{row_of("a", {1.0, 1.001}), row_of("b", {kUnknown, 1.0})};
  const AgreementTable found = agreement(table, 2);
  EXPECT_EQ(found.not_in_all, 1u);
  EXPECT_EQ(of(found, "1 and 2", 0).count, 1u);
  EXPECT_TRUE(found.departures.empty());
  EXPECT_TRUE(agreement({}, 2).rows.empty());
}

TEST(Agreement, an_odd_number_of_runs_has_no_pairs) {
  for (const std::size_t runs : {0u, 1u, 3u}) EXPECT_THROW(agreement({}, runs), Error) << runs;
}

}  // namespace
}  // namespace plumbline
