#include "schedule/rows.h"

#include <gtest/gtest.h>

#include "schedule/agenda.h"
#include "unit/schedule/scripted_world.h"

namespace plumbline {
namespace {

TEST(Rows, AVisitWithNothingButAbsentMetricsIsTriedAgainInTheNextRound) {
  MeasureAnswer answer;
  answer.absent = {{"kernel_time_cold", "the tracer lost records"}};
  EXPECT_EQ(contradiction(answer), "");
  const auto rows = rows_of(make_case("a"), answer);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].metric, "kernel_time_cold");
  EXPECT_EQ(rows[0].status, Status::unsupported);
  const auto cases = make_cases(1, 2);
  std::vector<ResultRow> measured = rows_of(cases[0], answer);
  measured[0].worker = "timing-7";
  const Agenda kept({cases, 1, {}, "", measured});
  EXPECT_FALSE(kept.is_left(0, {0}));
  EXPECT_TRUE(kept.is_left(0, {1}));
}

TEST(Rows, AMetricCannotBeReadAndAbsent) {
  MeasureAnswer answer = good_answer();
  answer.absent = {{"gpu_time_hot", "planted"}};
  EXPECT_EQ(contradiction(answer),
            "the worker answered metric 'gpu_time_hot' both with samples and as absent");
}

TEST(Rows, WhatTheWorkerReadBesideTheSamplesIsInTheRow) {
  MeasureAnswer answer = good_answer();
  answer.age_s = 1.5;
  answer.kernels = "[]";
  answer.spent_s = {{"launch", 0.5}, {"prepare", 0.25}};
  MeasuredMetric& reading = answer.metrics[1];
  reading.block_placements = {7};
  reading.block_causes = {"thermal"};
  reading.timers_s = {{"cupti", 1e-3}, {"events", 0.5}};
  const auto rows = rows_of(make_case("a"), answer);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].block_placements, std::vector<std::int64_t>{7});
  EXPECT_EQ(rows[1].block_causes, std::vector<std::string>{"thermal"});
  EXPECT_EQ(rows[1].timers_s, reading.timers_s);
  EXPECT_TRUE(rows[0].timers_s.empty());
  EXPECT_EQ(rows[0].age_s, 1.5);
  EXPECT_EQ(rows[0].kernels, "[]");
  EXPECT_EQ(rows[0].spent_s, answer.spent_s);
}

}  // namespace
}  // namespace plumbline
