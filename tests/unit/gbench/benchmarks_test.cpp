#include "gbench/benchmarks.h"

#include <gtest/gtest.h>

#include <memory>

namespace plumbline {
namespace {

Case case_named(const std::string& id, std::int64_t rounds = 2) {
  auto policy = std::make_shared<Policy>();
  policy->rounds = rounds;
  Case c;
  c.suite = "s";
  c.id = id;
  c.policy = policy;
  return c;
}

/// A visit of two blocks with medians of 1x and 3x `seconds`.
ResultRow visit(const std::string& id, std::int64_t round, double seconds,
                const std::string& metric = "wall_time") {
  ResultRow row;
  row.suite = "s";
  row.case_id = id;
  row.metric = metric;
  row.unit = "s";
  row.round = round;
  row.flops = 7;
  row.bytes = 9;
  row.samples.add_block(std::vector{seconds, seconds, 50 * seconds});
  row.samples.add_block(std::vector{3 * seconds, 2 * seconds, 3 * seconds});
  return row;
}

Run run_of(std::vector<ResultRow> rows) {
  Run run;
  run.rows = std::move(rows);
  return run;
}

std::vector<std::string> names_of(const std::vector<CaseBenchmark>& benchmarks) {
  std::vector<std::string> names;
  for (const CaseBenchmark& b : benchmarks) names.push_back(b.name);
  return names;
}

TEST(ExpectedBenchmarks, AreOneForEachCacheStateOnAGpuAndOneOnACpu) {
  const std::vector cases{case_named("a"), case_named("b")};
  EXPECT_EQ(names_of(expected_benchmarks(cases, "cpu")),
            (std::vector<std::string>{"s/a/wall_time", "s/b/wall_time"}));
  EXPECT_EQ(names_of(expected_benchmarks({cases[0]}, "cuda")),
            (std::vector<std::string>{"s/a/gpu_time_cold", "s/a/gpu_time_hot",
                                      "s/a/kernel_time_cold", "s/a/kernel_time_hot"}));
  auto policy = std::make_shared<Policy>();
  policy->metrics = {"memory", "gpu_time", "host_time"};
  policy->cache = {"cold_write"};
  Case other = cases[0];
  other.policy = policy;
  EXPECT_EQ(names_of(expected_benchmarks({other}, "cuda")),
            (std::vector<std::string>{"s/a/gpu_time_cold_write", "s/a/host_time"}));
}

TEST(MeasuredBenchmarks, HaveARepetitionPerVisitThatIsTheMeanOfItsBlocksMedians) {
  const auto made = measured_benchmarks({case_named("a")}, "cpu",
                                        run_of({visit("a", 0, 0.1), visit("a", 1, 0.2)}));
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].error, "");
  ASSERT_EQ(made[0].visits.size(), 2u);
  EXPECT_DOUBLE_EQ(made[0].visits[0].seconds, 0.2);
  EXPECT_DOUBLE_EQ(made[0].visits[1].seconds, 0.4);
  EXPECT_EQ(made[0].visits[0].flops, 7);
  EXPECT_EQ(made[0].visits[0].bytes, 9);
  EXPECT_EQ(made[0].visits[0].label, "");
}

TEST(MeasuredBenchmarks, AreOfTheMetricsThatWereMeasuredAndNotOfThoseThatWereExpected) {
  const auto made = measured_benchmarks({case_named("a", 1)}, "cuda", run_of({visit("a", 0, 1)}));
  EXPECT_EQ(names_of(made), (std::vector<std::string>{"s/a/wall_time"}));
}

TEST(MeasuredBenchmarks, OfMetricsThatCouldNotBeMeasuredAreErrorsAndOfShownOnesAreNone) {
  ResultRow absent = visit("a", 0, 1, "kernel_time_cold");
  absent.status = Status::unsupported;
  absent.reason = "records were lost";
  absent.samples = {};
  ResultRow shown_absent = absent;
  shown_absent.metric = "kernel_span_hot";
  const auto made =
      measured_benchmarks({case_named("a", 1)}, "cuda",
                          run_of({visit("a", 0, 1, "gpu_time_hot"), absent,
                                  visit("a", 0, 1, "kernel_span_cold"), shown_absent}));
  EXPECT_EQ(names_of(made), (std::vector<std::string>{"s/a/gpu_time_hot", "s/a/kernel_time_cold"}));
  EXPECT_EQ(made.at(0).error, "");
  EXPECT_EQ(made.at(1).error, "not measured: records were lost");
}

TEST(MeasuredBenchmarks, SayInTheirLabelWhatMakesAVisitDoubtful) {
  ResultRow row = visit("a", 0, 1);
  row.status = Status::unverified;
  row.reason = "no reference";
  row.flags = {"bimodal", "unstable clock"};
  const auto made = measured_benchmarks({case_named("a", 1)}, "cpu", run_of({row}));
  EXPECT_EQ(made[0].visits[0].label, "UNVERIFIED: no reference; bimodal; unstable clock");
}

TEST(MeasuredBenchmarks, OfACaseThatFailedInOneRoundAreErrorsWithItsReason) {
  ResultRow failed;
  failed.suite = "s";
  failed.case_id = "a";
  failed.round = 1;
  failed.status = Status::crashed;
  failed.reason = "signal 11";
  const auto made = measured_benchmarks({case_named("a")}, "cuda",
                                        run_of({visit("a", 0, 1, "gpu_time_hot"), failed}));
  ASSERT_EQ(made.size(), 4u);
  for (const CaseBenchmark& b : made) {
    EXPECT_NE(b.error.find("CRASHED: "), std::string::npos) << b.error;
    EXPECT_NE(b.error.find("signal 11"), std::string::npos) << b.error;
    EXPECT_TRUE(b.visits.empty());
  }
}

TEST(MeasuredBenchmarks, ThatAreNoTimesAboveZeroInEveryRoundAreErrors) {
  ResultRow bytes = visit("a", 0, 1, "peak_memory");
  bytes.unit = "B";
  const auto made =
      measured_benchmarks({case_named("a"), case_named("b"), case_named("c", 1)}, "cpu",
                          run_of({bytes, visit("b", 0, 1), visit("c", 0, -1e-9)}));
  ASSERT_EQ(made.size(), 3u);
  EXPECT_NE(made[0].error.find("unit of this metric is B"), std::string::npos);
  EXPECT_EQ(made[1].error, "measured in 1 of 2 rounds");
  EXPECT_NE(made[2].error.find("not above 0"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
