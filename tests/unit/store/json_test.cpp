#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"
#include "store/run/run_json.h"
#include "store/verdict/comparison_json.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

/// Every text field filled with something of its own, hostile ones among them.
RunInfo full_info() {
  RunInfo info = synthetic_run({.cases = 0}).info;
  info.command = {"plumbline", "run", "a \"b\".yaml", "</script>", std::string("nul\0", 4),
                  "שלום\n"};
  info.suites = {{"a", "p/a.yaml", "1", {}}, {"b", "p/b.yaml", "2", {}}};
  info.shard = "1/4";
  info.policy.cache = {"hot"};
  info.policy.rounds = 7;
  info.policy.precision = 0.1;
  info.policy.budget_s = 1.0 / 3;
  info.policy.seed = std::int64_t(1) << 53;
  info.acceptance = Acceptance{"Ada", "why not", "2026", "00ff"};
  info.calibration = {{"copy_bytes_per_s", 4.1e12}, {"event_floor_s", kUnknown}};
  info.workers = {{"timing:7",
                   2,
                   "2026-01-01T00:10:00Z",
                   {{"event_floor_s", 3.3e-6}},
                   {{"spin_s", 1e-4}, {"copy_s", 2e-4}},
                   {{"spin_s", 1.01e-4}}},
                  {}};
  info.expected = {{"a", "op/libtorch/n=1", Status::out_of_memory, "too \"big\"", "p/a.yaml:7"},
                   {"a", "op/libtorch/n=2", Status::wrong, "", ""}};
  int i = 0;
  for (const EnvironmentField& field : environment_fields())
    info.environment.*field.member = std::string(field.name) + " <" + std::to_string(i++) + ">";
  return info;
}

void expect_equal(const RunInfo& a, const RunInfo& b) {
  EXPECT_EQ(run_json_text({a, {}}), run_json_text({b, {}}));
  EXPECT_EQ(a.command, b.command);
  EXPECT_EQ(a.environment, b.environment);
  EXPECT_EQ(a.policy.cache, b.policy.cache);
  EXPECT_EQ(a.policy.budget_s, b.policy.budget_s);
  EXPECT_EQ(a.policy.seed, b.policy.seed);
  EXPECT_EQ(a.finished_at, b.finished_at);
  ASSERT_EQ(a.acceptance.has_value(), b.acceptance.has_value());
  if (a.acceptance) {
    EXPECT_EQ(a.acceptance->source_hash, b.acceptance->source_hash);
  }
}

struct JsonFile {
  TemporaryFolder folder;
  std::string path = folder / "f.json";

  RunFile reread(const std::string& text) {
    write_file(path, text);
    return read_run_json(path);
  }
  template <class Reader>
  std::string error(const std::string& text, Reader read) {
    write_file(path, text);
    try {
      read(path);
    } catch (const Error& error) {
      return std::string(error.what()).replace(0, path.size(), "F");
    }
    return "no error";
  }
  std::string run_error(const std::string& text) { return error(text, read_run_json); }
  std::string comparison_error(const std::string& text) { return error(text, read_comparison); }
};

TEST(RunJson, EveryFieldIsReadBack) {
  JsonFile file;
  const RunFile back = file.reread(run_json_text({full_info(), ResultsSeal{123, "abc"}}));
  expect_equal(back.info, full_info());
  ASSERT_TRUE(back.results.has_value());
  EXPECT_EQ(back.results->bytes, 123u);
  EXPECT_EQ(back.results->hash, "abc");
  EXPECT_EQ(back.info.calibration.at("copy_bytes_per_s"), 4.1e12);
  ASSERT_EQ(back.info.workers.size(), 2u);
  const WorkerRecord &worker = back.info.workers[0], wanted = full_info().workers[0];
  EXPECT_EQ(worker.name, "timing:7");
  EXPECT_EQ(worker.round, 2);
  EXPECT_EQ(worker.started_at, "2026-01-01T00:10:00Z");
  EXPECT_EQ(worker.calibration, wanted.calibration);
  EXPECT_EQ(worker.sentinel_before, wanted.sentinel_before);
  EXPECT_EQ(worker.sentinel_after, wanted.sentinel_after);
}

TEST(RunJson, TimesAreReadInAnyFormOfIso8601AndGivenInUtc) {
  JsonFile file;
  const RunInfo info = file.reread(R"({"format": 1, "measurement_revision": 3,
                      "started_at": "2026-11-22T03:00:00.5+01:00", "finished_at": "20261122T0205Z",
                      "workers": [{"started_at": "2026-11-22T02:01:00-00:30"}]})")
                           .info;
  EXPECT_EQ(info.started_at, "2026-11-22T02:00:00.5Z");
  EXPECT_EQ(info.finished_at, "2026-11-22T02:05:00Z");
  EXPECT_EQ(info.workers.at(0).started_at, "2026-11-22T02:31:00Z");
}

TEST(RunJson, WhatIsNoTimeIsRefusedWithFileAndField) {
  JsonFile file;
  const auto error_of = [&](const std::string& members) {
    return file.run_error(R"({"format": 1, "measurement_revision": 3, )" + members + "}");
  };
  const std::string expected =
      ", expected a time in ISO 8601, such as 2026-11-22T02:00:00Z, 2026-11-22T03:00:00.5+01:00 or "
      "2026-11-22";
  EXPECT_EQ(error_of(R"("started_at": "last night")"),
            "F: at /started_at: found 'last night'" + expected);
  EXPECT_EQ(error_of(R"("finished_at": "2026-11-31T02:00:00Z")"),
            "F: at /finished_at: found '2026-11-31T02:00:00Z'" + expected);
  EXPECT_EQ(error_of(R"("workers": [{}, {"started_at": "soon"}])"),
            "F: at /workers/1/started_at: found 'soon'" + expected);
  EXPECT_EQ(error_of(R"("started_at": 1795312800)"),
            "F: at /started_at: found 1795312800, expected a string");
  EXPECT_EQ(error_of(R"("started_at": "", "finished_at": null)"), "no error");
}

TEST(RunJson, ASuiteWithoutANameIsRefused) {
  JsonFile file;
  EXPECT_EQ(
      file.run_error(
          R"({"format": 1, "measurement_revision": 3, "suites": [{"name": "a"}, {"name": ""}]})"),
      "F: at /suites/1: found an object, expected a suite with a name");
}

TEST(RunJson, KeepsWhatIsExpectedToFailAndRefusesAStatusThatThereIsNot) {
  JsonFile file;
  const RunInfo back = file.reread(run_json_text({full_info(), {}})).info;
  ASSERT_EQ(back.expected.size(), 2u);
  EXPECT_EQ(back.expected[0].case_id, "op/libtorch/n=1");
  EXPECT_EQ(back.expected[0].status, Status::out_of_memory);
  EXPECT_EQ(back.expected[0].reason, "too \"big\"");
  EXPECT_EQ(back.expected[0].at, "p/a.yaml:7");
  EXPECT_EQ(run_json_text({RunInfo{}, {}}).find("expected"), std::string::npos);
  write_file(file.path,
             R"({"format": 1, "measurement_revision": 3, "expected": [{"status": "ODD"}]})");
  try {
    read_run_json(file.path);
    FAIL() << "an unknown status was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/expected/0/status: found 'ODD'"), std::string::npos)
        << error.what();
  }
}

TEST(RunJson, HasAKeyForEveryFieldOfTheTables) {
  const std::string text = run_json_text({RunInfo{}, {}});
  for (const EnvironmentField& field : environment_fields())
    EXPECT_NE(text.find("\"" + std::string(field.name) + "\": \"\""), std::string::npos);
  for (const PolicyField& field : policy_fields())
    EXPECT_NE(text.find("\"" + std::string(field.name) + "\": "), std::string::npos);
}

TEST(RunJson, UnknownKeysArePassedOverAndMissingOnesKeepTheirDefaults) {
  JsonFile file;
  const RunFile back = file.reread(
      R"({"format": 1, "measurement_revision": 3, "later": [1],
          "environment": {"host": "h", "x": 1}})");
  EXPECT_EQ(back.info.measurement_revision, 3);
  EXPECT_EQ(back.info.environment.host, "h");
  EXPECT_EQ(back.info.environment.driver, "");
  EXPECT_EQ(back.info.policy.rounds, 3);
  EXPECT_FALSE(back.info.acceptance || back.results);
  EXPECT_TRUE(back.info.calibration.empty() && back.info.workers.empty());
}

TEST(RunJson, WrongTypesAreNamedByPath) {
  JsonFile file;
  const auto with = [](const std::string& rest) {
    return R"({"format": 1, "measurement_revision": 1, )" + rest + "}";
  };
  EXPECT_EQ(file.run_error(with(R"("environment": [])")),
            "F: at /environment: found an array, expected an object");
  EXPECT_EQ(file.run_error(with(R"("command": ["a", 2])")),
            "F: at /command/1: found 2, expected a string");
  EXPECT_EQ(file.run_error(with(R"("policy": {"rounds": 2.5})")),
            "F: at /policy/rounds: found 2.5, expected an integer");
  EXPECT_EQ(file.run_error(with(R"("policy": {"seed": 18446744073709551615})")),
            "F: at /policy/seed: found 18446744073709551615, expected an integer below 2^63");
  EXPECT_EQ(file.run_error(with(R"("suites": {"a": 1})")),
            "F: at /suites: found an object, expected an array");
  EXPECT_EQ(file.run_error(with(R"("calibration": {"copy_bytes_per_s": "fast"})")),
            "F: at /calibration/copy_bytes_per_s: found 'fast', expected a number");
  EXPECT_EQ(file.run_error(with(R"("workers": [{"sentinel_after": []}])")),
            "F: at /workers/0/sentinel_after: found an array, expected an object");
  EXPECT_EQ(file.run_error(with(R"("results": {"bytes": -1})")),
            "F: at /results/bytes: found -1, expected an integer that is in range");
}

TEST(RunJson, OtherJsonIsRefused) {
  JsonFile file;
  for (const char* text : {"[]", "1", "{}", R"({"format": "1", "measurement_revision": 1})",
                           R"({"format": null, "measurement_revision": 1})"})
    EXPECT_NE(file.run_error(text).find("expected the JSON of a run written by Plumbline"),
              std::string::npos)
        << text;
  EXPECT_NE(file.run_error(R"({"format": 0, "measurement_revision": 1})").find("found format 0"),
            std::string::npos);
}

TEST(RunJson, TextThatIsNotUtf8IsWrittenAllTheSame) {
  JsonFile file;
  RunInfo info;
  info.environment.branch = "bad \xff byte";
  EXPECT_EQ(file.reread(run_json_text({info, {}})).info.environment.branch,
            "bad \xEF\xBF\xBD byte");
}

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
  wanted.null_check = NullCheck{1.2, 1.1, 1.3, 40, 1.5};
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
  EXPECT_EQ(
      file.comparison_error(R"({"format": 1, "findings": [{}, {"verdict": "WORSE"}]})"),
      "F: at /findings/1/verdict: found 'WORSE', expected one of SLOWER FASTER SAME UNRESOLVED "
      "NOT_JUDGED NEW MISSING BROKEN FIXED EXPECTED");
  EXPECT_EQ(file.comparison_error(R"({"format": 1, "findings": [{"change": "fast"}]})"),
            "F: at /findings/0/change: found 'fast', expected a number");
}

}  // namespace
}  // namespace plumbline
