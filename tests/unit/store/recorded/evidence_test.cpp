#include "store/recorded/evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <map>
#include <tuple>

#include "analysis/compare/compare.h"
#include "store/recorded/plans.h"
#include "store/verdict/comparison_json.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"
#include "support/time_limit.h"

namespace plumbline {
namespace {

constexpr const char* kKernels =
    R"([{"name": "gemm<128>", "grid": [64, 2, 1], "block": [256, 1, 1], "registers": 128,
         "local": 24, "shared_static": 0, "shared_dynamic": 65536, "code": "9f3a51c07be2d864",
         "calls": 2, "time_s": 1e-5},
        {"name": "memcpy HtoD", "bytes": 4096, "calls": 1, "time_s": 2e-6}])";
constexpr const char* kPlan =
    R"([{"graph": "dgrad", "plan": "eng64", "index": 0, "candidates": 44, "workspace": 131072}])";

ResultRow row_with(const std::string& kernels, const std::string& plan) {
  ResultRow row = synthetic_row({}, 0, 0, 0);
  row.kernels = kernels;
  row.plan = plan;
  return row;
}

const std::optional<RecordedValue>& of(const CaseRecord& record, Aspect aspect) {
  return record[static_cast<std::size_t>(aspect)];
}

TEST(Evidence, IsReadFromTheColumnsOfResults) {
  const ResultRow row = row_with(kKernels, kPlan);
  const ResultRow* const rows[] = {&row};
  const CaseRecord record = record_of(rows, row.metric);
  EXPECT_EQ(of(record, Aspect::kernels)->text, "gemm<128> × 2, memcpy HtoD");
  EXPECT_EQ(of(record, Aspect::grid)->text, "64×2×1");
  EXPECT_EQ(of(record, Aspect::registers)->text, "128");
  EXPECT_EQ(of(record, Aspect::shared_memory)->text, "0 + 65536 B");
  EXPECT_EQ(of(record, Aspect::local_memory)->text, "24 B");
  EXPECT_EQ(of(record, Aspect::machine_code)->text, "9f3a51c07be2");
  EXPECT_EQ(of(record, Aspect::plan)->text, "dgrad eng64");
  EXPECT_EQ(of(record, Aspect::workspace)->number, 131072);
  EXPECT_GT(of(record, Aspect::clock)->number, 1.9e9);
  EXPECT_EQ(of(record, Aspect::power)->number, 312.5);
  EXPECT_FALSE(of(record, Aspect::peak_memory));
}

/// Results may lack times of kernels, as redacted ones do.
TEST(Evidence, KernelsWithoutATimeHaveAnUnknownOne) {
  plumbline::Run baseline, candidate;
  for (plumbline::Run* const run : {&baseline, &candidate})
    for (const char* const kernels :
         {R"([{"name": "gemm", "time_s": null, "calls": 1}])", kKernels})
      run->rows.push_back(row_with(kernels, kPlan));
  Finding finding;
  finding.suite = baseline.rows[0].suite;
  finding.case_id = baseline.rows[0].case_id;
  finding.metric = baseline.rows[0].metric;
  finding.verdict = Verdict::slower;
  const CaseEvidence evidence = evidence_from({{&baseline, &candidate, false}})(finding);
  ASSERT_EQ(evidence.kernels.size(), 3u);
  EXPECT_TRUE(std::isnan(evidence.kernels[0].time_s));
  EXPECT_DOUBLE_EQ(evidence.kernels[1].time_s, 1e-5);
  EXPECT_TRUE(evidence.kernels[2].is_copy);
}

TEST(Evidence, OfFewColumnsIsNothingAndNotZero) {
  ResultRow row;
  row.metric = "gpu_time_cold";
  const double sample[] = {1e-5};
  row.samples.add_block(sample);
  const ResultRow* const rows[] = {&row};
  for (const auto& value : record_of(rows, row.metric)) EXPECT_FALSE(value);
  for (const auto& value : record_of({}, row.metric)) EXPECT_FALSE(value);
}

TEST(Evidence, KernelsOfOlderFilesAreNamesWithoutALaunch) {
  const ResultRow row = row_with("old_kernel", "no json");
  const ResultRow* const rows[] = {&row};
  const CaseRecord record = record_of(rows, row.metric);
  EXPECT_EQ(of(record, Aspect::kernels)->text, "old_kernel");
  EXPECT_FALSE(of(record, Aspect::grid));
  EXPECT_FALSE(of(record, Aspect::plan));
}

/// A run in which the case with k = 64 takes `factor` times as long and uses more registers.
Run slowed(const SyntheticShape& shape, double factor) {
  Run run = synthetic_run(shape);
  run.info.environment.device_units = 132;
  for (ResultRow& row : run.rows) {
    row.kernels = kKernels;
    if (factor == 1 || row.case_id.find("/k=64/") == row.case_id.npos) continue;
    row.kernels.replace(row.kernels.find("128,"), 4, "168,");
    SampleSet samples;
    for (std::size_t i = 0; i < row.samples.blocks(); ++i) {
      std::vector<double> block;
      for (const double sample : row.samples.block(i)) block.push_back(sample * factor);
      samples.add_block(block);
    }
    row.samples = samples;
  }
  return run;
}

TEST(Evidence, ExplainsWhatTheRowsDifferIn) {
  const SyntheticShape shape{.cases = 12, .seed = 5};
  const auto before = slowed(shape, 1), after = slowed(shape, 1.2);
  Comparison comparison = compare(before, after, default_rule("cuda"));
  explain(comparison, before, after);
  ASSERT_EQ(comparison.causes.size(), 1u);
  const Cause& cause = comparison.causes[0];
  ASSERT_EQ(cause.parts[0].region.size(), 1u);
  EXPECT_EQ(cause.parts[0].region[0].values, std::vector<std::string>{"64"});
  for (const RecordedFact& fact : cause.facts)
    EXPECT_EQ(fact.changed, fact.name == "registers" ? 1u : 0u) << fact.name;
}

TEST(Evidence, OfARenamedCaseIsThatOfItsOldId) {
  const SyntheticShape shape{.cases = 12, .seed = 5};
  auto before = slowed(shape, 1);
  const auto after = slowed(shape, 1.2);
  CompareOptions options;
  for (ResultRow& row : before.rows) {
    options.renames[{row.suite, "old_" + row.case_id}] = row.case_id;
    row.case_id = "old_" + row.case_id;
  }
  Comparison comparison = compare(before, after, default_rule("cuda"), options);
  explain(comparison, before, after);
  ASSERT_EQ(comparison.causes.size(), 1u);
  EXPECT_EQ(comparison.findings[0].renamed_from, "old_" + comparison.findings[0].case_id);
  for (const RecordedFact& fact : comparison.causes[0].facts) {
    EXPECT_EQ(fact.changed, fact.name == "registers" ? 1u : 0u) << fact.name;
    EXPECT_NE(fact.missing, "baseline") << fact.name;
  }
}

TEST(Evidence, OfPairsIsTakenForWhatPairsDecided) {
  const SyntheticShape shape{.cases = 12, .seed = 5};
  const auto before = slowed(shape, 1), after = slowed(shape, 1.2);
  auto today = before;
  today.info.environment.driver = "2";
  for (ResultRow& row : today.rows) row.kernels.replace(row.kernels.find("128,"), 4, "168,");
  Comparison comparison = compare(before, after, default_rule("cuda"));
  for (Finding& finding : comparison.findings) finding.pairs = 12;
  explain(comparison, before, after, &today, &after);
  ASSERT_EQ(comparison.causes.size(), 1u);
  for (const RecordedFact& fact : comparison.causes[0].facts)
    EXPECT_EQ(fact.changed, 0u) << fact.name;
}

/// Adds to each case what a launch moved and what its warps waited for.
plumbline::Run counted(plumbline::Run run, double dram_bytes, const std::string& stall) {
  std::vector<ResultRow> added;
  for (const ResultRow& row : run.rows)
    for (const auto& [metric, unit, value] :
         {std::tuple{"dram_bytes", "B", dram_bytes}, std::tuple{"instructions", "1", 5e6},
          std::tuple{"stall_wait", "1", 0.3}, std::tuple{stall.c_str(), "1", 0.5}}) {
      ResultRow& counter = added.emplace_back(row);
      counter.metric = metric;
      counter.unit = unit;
      counter.samples = {};
      counter.samples.add_block({&value, 1});
    }
  std::ranges::move(added, std::back_inserter(run.rows));
  return run;
}

/// Pairs were measured without counters: those of the two runs are compared.
TEST(Evidence, CountersSayWhatMoved) {
  const SyntheticShape shape{.cases = 12, .seed = 5};
  const auto pair_before = slowed(shape, 1), pair_after = slowed(shape, 1.2);
  const auto before = counted(pair_before, 4e8, "stall_barrier");
  const auto after = counted(pair_after, 5.24e8, "stall_long_scoreboard");
  Comparison comparison = compare(before, after, default_rule("cuda"));
  for (Finding& finding : comparison.findings) finding.pairs = 12;
  explain(comparison, before, after, &pair_before, &pair_after);
  ASSERT_EQ(comparison.causes.size(), 1u);
  std::map<std::string, RecordedFact> facts;
  for (const RecordedFact& fact : comparison.causes[0].facts) facts[fact.name] = fact;
  EXPECT_EQ(facts.at("dram_bytes").changed, 1u);
  EXPECT_EQ(facts.at("dram_bytes").before_value, 4e8);
  EXPECT_EQ(facts.at("dram_bytes").after_value, 5.24e8);
  EXPECT_EQ(facts.at("instructions").same, 1u);
  EXPECT_EQ(facts.at("main_stall").before, "barrier");
  EXPECT_EQ(facts.at("main_stall").after, "long scoreboard");
  EXPECT_FALSE(facts.contains("l2_bytes")) << "neither side counted it";
  const auto half = counted(pair_before, 4e8, "stall_barrier");
  Comparison other = compare(half, pair_after, default_rule("cuda"));
  explain(other, half, pair_after);
  ASSERT_EQ(other.causes.size(), 1u);
  for (const RecordedFact& fact : other.causes[0].facts)
    EXPECT_NE(fact.name, "dram_bytes") << "one side alone says nothing";
}

TEST(Evidence, OfAComparisonSurvivesItsFile) {
  const SyntheticShape shape{.cases = 12, .seed = 5};
  const auto before = slowed(shape, 1), after = slowed(shape, 1.2);
  Comparison comparison = compare(before, after, default_rule("cuda"));
  explain(comparison, before, after);
  comparison.causes[0].parts[0].region.push_back({"m", {}, false, 64, {}});
  comparison.causes[0].trait = SharedTrait{"kernel", "nvjet", 1, 2};
  const TemporaryFolder folder;
  write_comparison(comparison, folder / "comparison.json");
  const Comparison read = read_comparison(folder / "comparison.json");
  ASSERT_EQ(read.causes.size(), 1u);
  const Cause &was = comparison.causes[0], &is = read.causes[0];
  EXPECT_EQ(is.verdict, Verdict::slower);
  EXPECT_EQ(is.parts[0].region, was.parts[0].region);
  EXPECT_EQ(is.trait->text, "nvjet");
  EXPECT_EQ(is.cost, was.cost);
  EXPECT_EQ(is.facts.size(), was.facts.size());
  EXPECT_EQ(read.findings[0].cause, comparison.findings[0].cause);
}

TEST(Evidence, OfTenThousandFindingsIsReadInAFractionOfASecond) {
  const SyntheticShape shape{.cases = 10'000, .rounds = 2, .blocks = 1, .samples = 1};
  auto before = synthetic_run(shape);
  for (ResultRow& row : before.rows) row.kernels = kKernels;
  const auto after = before;
  Comparison comparison = compare(before, after, default_rule("cuda"));
  for (std::size_t i = 0; i < comparison.findings.size(); i += 3)
    comparison.findings[i].verdict = Verdict::slower;
  const std::clock_t started = std::clock();  // of this process, so other programs do not count
  explain(comparison, before, after);
  const double spent_s = double(std::clock() - started) / CLOCKS_PER_SEC;
  EXPECT_FALSE(comparison.causes.empty());
  RecordProperty("seconds", std::to_string(spent_s));
  EXPECT_LT(spent_s, time_limit_s(0.5));
}

TEST(Plans, AreReadAndWhatIsNoneIsNone) {
  const std::vector<PlanRecord> plans = plans_of(kPlan);
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(plans[0].plan, "eng64");
  EXPECT_EQ(plans[0].workspace, 131072);
  for (const char* text : {"", "{", "3", "[1, 2]", "{\"plan\": 1}"})
    EXPECT_TRUE(plans_of(text).empty()) << text;
}

}  // namespace
}  // namespace plumbline
