#include "store/verdict/comparison_json.h"

#include <limits>

#include "unit/store/json_file.h"

namespace plumbline {
namespace {

Comparison full_comparison() {
  Comparison comparison;
  comparison.baseline_path = "baselines/x/quick.csv";
  comparison.candidate_path = "runs/\"y\"";
  comparison.baseline = full_info();
  comparison.candidate = synthetic_run({.cases = 0}).info;
  comparison.rule = {0.95, 0.01, 0.03, 0.05, 0.004};
  comparison.environment_changes = {{"driver", "driver", "environment", "1", "2"},
                                    {"commit", "commit", "subject", "a", "b"}};
  comparison.shift = RunShift{0.01, -0.02, 0.03, 17};
  comparison.part_shifts = {RunShift{0.02, 0.01, 0.03, 5, RunPart::memory, 9}};
  for (std::size_t i = 0; i < kVerdictNames.size(); ++i) {
    Finding finding;
    finding.suite = "s";
    finding.case_id = "op/libtorch/n=" + std::to_string(i);
    finding.op = "op";
    finding.backend = "libtorch";
    finding.metric = "gpu_time_cold";
    finding.unit = "s";
    finding.verdict = static_cast<Verdict>(i);
    finding.reason = "</script>, because";
    finding.baseline_status = "OK";
    finding.candidate_status = "CRASHED";
    finding.threshold = 0.02;
    finding.baseline_visits = 3;
    finding.candidate_visits = i;
    finding.flags = {"bimodal"};
    if (i % 2 == 0) {
      finding.baseline = 1.0 / 3;
      finding.candidate = 5e-324;
      finding.change = std::numeric_limits<double>::infinity();
      finding.change_low = -0.0;
      finding.change_high = 1e300;
      finding.raw_change = 0.5;
      finding.p_value = 1e-12;
      finding.adjusted_p = 1.0;
      finding.detectable = 0.1;
    }
    comparison.findings.push_back(finding);
  }
  comparison.shown = {{"s", "op/libtorch/n=1", "kernel_span_cold", "s", 1e-5, 2e-5, 1.0},
                      {"s", "op/libtorch/n=2", "speedup", "1", std::nullopt, 3.5, std::nullopt}};
  comparison.notes = {"one", "two\nlines"};
  comparison.findings[1].blind = BlindSpot{.detectable = 0.07,
                                           .block_sd = 0.01,
                                           .visit_sd = 0.02,
                                           .run_sd = 0.03,
                                           .rounds = 9,
                                           .cure = "9 rounds"};
  comparison.ledger.resize(2);
  comparison.ledger[1] = {
      EntryKind::quarantined, "nvidia-h200", "s", "op/libtorch/n=1", "", -0.5, "Ada", "\"why\"",
      "2026-03-01",           "2026-03-31"};
  comparison.findings[1].entry = 2;
  comparison.findings[2].renamed_from = "old/id";
  SelfCheck check{"so", {0, 1, 20}, {{0.02, 3, 4}}, {}, {{0.03, 5, 6}, {0.05, 6, 6}}};
  comparison.self_check = SelfMeasurement{check, check, 3};
  return comparison;
}

TEST(ComparisonJson, EveryFieldIsReadBack) {
  JsonFile file;
  const Comparison wanted = full_comparison();
  write_comparison(wanted, file.path);
  const Comparison found = read_comparison(file.path);
  const std::string first = file_text(file.path);
  write_comparison(found, file.path);
  EXPECT_EQ(file_text(file.path), first);
  expect_equal(found.baseline, wanted.baseline);
  expect_equal(found.candidate, wanted.candidate);
  ASSERT_EQ(found.shown.size(), 2u);
  EXPECT_EQ(found.shown[0].metric, "kernel_span_cold");
  EXPECT_EQ(found.shown[0].change, 1.0);
  EXPECT_EQ(found.shown[1].case_id, "op/libtorch/n=2");
  EXPECT_EQ(found.shown[1].unit, "1");
  EXPECT_FALSE(found.shown[1].baseline);
  EXPECT_EQ(found.shown[1].candidate, 3.5);
  EXPECT_EQ(found.candidate_path, "runs/\"y\"");
  EXPECT_EQ(found.rule.run_sd, 0.004);
  EXPECT_EQ(found.rule.confidence, 0.95);
  ASSERT_EQ(found.environment_changes.size(), 2u);
  EXPECT_EQ(found.environment_changes[1].candidate, "b");
  ASSERT_TRUE(found.shift.has_value());
  EXPECT_EQ(found.shift->cases, 17u);
  EXPECT_EQ(found.shift->change_low, -0.02);
  EXPECT_EQ(found.shift->part, RunPart::whole);
  ASSERT_EQ(found.part_shifts.size(), 1u);
  EXPECT_EQ(found.part_shifts[0].part, RunPart::memory);
  EXPECT_EQ(found.part_shifts[0].change, 0.02);
  EXPECT_EQ(found.part_shifts[0].of_cases, 9u);
  EXPECT_EQ(found.notes, wanted.notes);
  ASSERT_TRUE(found.findings.at(1).blind);
  EXPECT_EQ(found.findings[1].blind->rounds, 9u);
  EXPECT_FALSE(found.findings[1].blind->blocks);
  EXPECT_EQ(found.findings[1].blind->run_sd, 0.03);
  EXPECT_EQ(found.findings[1].blind->cure, "9 rounds");
  EXPECT_FALSE(found.findings[0].blind);
  EXPECT_EQ(found.findings[0].entry, 0u);
  EXPECT_EQ(found.findings[1].entry, 2u);
  EXPECT_EQ(found.findings[1].renamed_from, "");
  EXPECT_EQ(found.findings[2].renamed_from, "old/id");
  ASSERT_EQ(found.ledger.size(), 2u);
  EXPECT_EQ(found.ledger[1].kind, EntryKind::quarantined);
  EXPECT_EQ(found.ledger[1].change, -0.5);
  EXPECT_EQ(found.ledger[1].reason, "\"why\"");
  EXPECT_EQ(found.ledger[1].until, "2026-03-31");
  ASSERT_TRUE(found.self_check);
  EXPECT_EQ(found.self_check->comparisons, 3u);
  EXPECT_EQ(found.self_check->own.controls, "so");
  EXPECT_EQ(found.self_check->pooled.alarms.cases, 20u);
  EXPECT_EQ(found.self_check->own.confirmed.at(1).seen, 6u);
  ASSERT_EQ(found.findings.size(), wanted.findings.size());
  for (std::size_t i = 0; i < wanted.findings.size(); ++i) {
    const Finding &a = found.findings[i], &b = wanted.findings[i];
    EXPECT_EQ(a.case_id, b.case_id);
    EXPECT_EQ(a.verdict, b.verdict);
    EXPECT_EQ(a.reason, b.reason);
    EXPECT_EQ(a.baseline, b.baseline);
    EXPECT_EQ(a.candidate, b.candidate);
    EXPECT_EQ(a.change, b.change);
    EXPECT_EQ(a.change_low, b.change_low);
    EXPECT_EQ(a.change_high, b.change_high);
    EXPECT_EQ(a.raw_change, b.raw_change);
    EXPECT_EQ(a.p_value, b.p_value);
    EXPECT_EQ(a.adjusted_p, b.adjusted_p);
    EXPECT_EQ(a.detectable, b.detectable);
    EXPECT_EQ(a.candidate_visits, b.candidate_visits);
    EXPECT_EQ(a.flags, b.flags);
  }
}

TEST(ComparisonJson, KeepsWhatItMeasuredOfItselfAndWhatIsNoVerdict) {
  JsonFile file;
  Comparison wanted = full_comparison();
  wanted.findings[1].blind->margin = 0.05;
  wanted.null_check = NullCheck{"gpu_time_cold", 1.2, 1.1, 1.3, 40, {1.5, 0.25}};
  wanted.distribution_changes.resize(2);
  wanted.distribution_changes[1] = {DistributionKind::modes,
                                    "s",
                                    "c",
                                    "op",
                                    "libtorch",
                                    "t",
                                    0.5,
                                    0.2,
                                    0.8,
                                    0.25,
                                    0.75,
                                    0.05,
                                    90,
                                    24,
                                    1e-6,
                                    1e-5};
  write_comparison(wanted, file.path);
  const Comparison found = read_comparison(file.path);
  EXPECT_EQ(found.findings[1].blind->margin, 0.05);
  EXPECT_EQ(found.null_check, wanted.null_check);
  EXPECT_EQ(found.distribution_changes, wanted.distribution_changes);
}

TEST(ComparisonJson, IsToldFromARunAndRefusesWhatItIsNot) {
  JsonFile file;
  write_comparison(full_comparison(), file.path);
  EXPECT_TRUE(find_comparison(file.path));
  const std::string named_otherwise = file.folder.path() + "/compared";
  write_comparison(full_comparison(), named_otherwise);
  EXPECT_TRUE(find_comparison(named_otherwise));
  write_file(file.path, "case,status\nadd,OK\n");
  EXPECT_FALSE(find_comparison(file.path));
  write_file(file.path, run_json_text({RunInfo{}, {}}));
  EXPECT_FALSE(find_comparison(file.path));
  EXPECT_FALSE(find_comparison(file.folder.path()));
  EXPECT_EQ(file.comparison_error(run_json_text({RunInfo{}, {}})),
            "F: found the JSON of a run, expected the JSON of a comparison written by Plumbline");
  EXPECT_EQ(file.comparison_error("{}"),
            "F: found JSON without 'format' and 'findings', expected the JSON of a comparison "
            "written by Plumbline");
  EXPECT_EQ(file.run_error(R"({"format": 1, "findings": []})"),
            "F: found the JSON of a comparison, expected the JSON of a run written by Plumbline");
  EXPECT_EQ(file.comparison_error(R"({"format": 9, "findings": []})"),
            "F: found format 9, expected at most format 1, the newest that this Plumbline reads; "
            "use the Plumbline that wrote it");
  EXPECT_EQ(file.comparison_error(R"({"format": 1, "findings": [{}, {"verdict": "WORSE"}]})"),
            "F: at /findings/1/verdict: found 'WORSE', expected one of SLOWER FASTER LOOKS_SLOWER "
            "LOOKS_FASTER SAME UNRESOLVED "
            "NOT_JUDGED NEW MISSING BROKEN FIXED EXPECTED");
  EXPECT_EQ(file.comparison_error(R"({"format": 1, "findings": [{"change": "fast"}]})"),
            "F: at /findings/0/change: found 'fast', expected a number");
}

}  // namespace
}  // namespace plumbline
