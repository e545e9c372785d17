#include "analysis/estimate/moved_bytes.h"

#include <gtest/gtest.h>

#include "analysis/estimate/estimate.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

constexpr double kL2 = 50e6;

MovedBytes moved(double declared, double bytes) {
  Environment environment;
  environment.device_l2_bytes = std::int64_t(kL2);
  return moved_bytes(declared, bytes, environment);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(MovedBytes, MoreThanTenPercentTooManyIsAFinding) {
  EXPECT_FALSE(moved(1e9, 1.09e9).is_off);
  const MovedBytes twice = moved(4e9, 8.12e9);
  EXPECT_TRUE(twice.is_off);
  EXPECT_TRUE(holds(twice.text,
                    "declared bytes are 4000 MB, the GPU moved 8120 MB (+103 %): the "
                    "suite's cost is wrong"))
      << twice.text;
}

TEST(MovedBytes, WrittenDataThatStaysInL2IsNotMissed) {
  EXPECT_FALSE(moved(1e9, 0.86e9).is_off) << "50 MB of the result may still be in L2";
  const MovedBytes fewer = moved(1e9, 0.84e9);
  EXPECT_TRUE(fewer.is_off);
  EXPECT_TRUE(holds(fewer.text, "(−16 %): the suite's cost is wrong")) << fewer.text;
}

TEST(MovedBytes, WhatL2HoldsIsNotJudged) {
  const MovedBytes small = moved(4e6, 8e6);
  EXPECT_FALSE(small.is_off);
  EXPECT_TRUE(holds(small.text, "not judged, L2 holds 50 MB")) << small.text;
  EXPECT_TRUE(holds(moved_bytes(4e9, 8e9, {}).text, "size of L2 is not known"));
  EXPECT_EQ(moved(kUnknown, 8e9).text, "") << "nothing is declared";
  EXPECT_EQ(moved(8e9, kUnknown).text, "") << "nothing was counted";
}

TEST(MovedBytes, TheRunNamesItsCasesAndTheirRowsHaveTheFlag) {
  plumbline::Run run = planted::run_on("NVIDIA H200");
  run.info.environment.device_l2_bytes = std::int64_t(kL2);
  EXPECT_EQ(costs_that_are_off(run), "");
  planted::add_case(run, "kernel/custom/n=1", 8.12e9, 0.001, "dram_bytes");
  for (ResultRow& row : run.rows) row.bytes = 4e9, row.unit = "B";
  const std::string sentence = costs_that_are_off(run);
  EXPECT_TRUE(holds(sentence,
                    "1 case declares other bytes than its launch moved: "
                    "kernel/custom/n=1: declared bytes are 4000 MB"))
      << sentence;
  const std::vector<CaseSummary> rows = summarize(run);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].flags, std::vector<std::string>{std::string(kFlagDeclaredBytes)});
  Comparison comparison;
  note_costs_that_are_off(run, comparison);
  EXPECT_EQ(comparison.notes, std::vector{sentence});
}

}  // namespace
}  // namespace plumbline
