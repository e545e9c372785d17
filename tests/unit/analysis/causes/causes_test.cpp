#include "analysis/causes/causes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/run/case.h"

namespace plumbline {
namespace {

/// Findings with a planted truth, and the records of their cases on both sides.
class Causes : public testing::Test {
 protected:
  Causes() {
    for (RunInfo* info : {&before, &after}) {
      info->environment.device_kind = "cuda";
      info->environment.driver = "580.82.07";
      info->environment.cuda_runtime = "13.0";
      info->environment.cudnn = "9.19.0";
      info->environment.libtorch = "2.11.0";
      info->environment.worker_hash = "aaaa";
    }
  }

  Finding& add(const std::string& op, const std::string& backend, const std::string& params,
               Verdict verdict, double change = 0, const std::string& metric = "gpu_time_cold") {
    Finding& finding = comparison.findings.emplace_back();
    finding.suite = "nightly";
    finding.case_id = op + "/" + backend + "/" + params;
    finding.op = op;
    finding.backend = backend;
    finding.metric = metric;
    finding.unit = metric == "peak_memory" ? "B" : "s";
    finding.verdict = verdict;
    finding.baseline_status = finding.candidate_status = "OK";
    finding.baseline = 1e-5;
    finding.candidate = 1e-5 * (1 + change);
    finding.change = finding.raw_change = change;
    return finding;
  }

  /// Cases n = 1 … `all`; the first `slower` ones are slower.
  void add_cases(const std::string& op, const std::string& backend, int slower, int all,
                 double change = 0.05) {
    for (int n = 1; n <= all; ++n)
      add(op, backend, "n=" + std::to_string(n), n <= slower ? Verdict::slower : Verdict::same,
          n <= slower ? change : 0);
  }

  static void put(CaseRecord& record, Aspect aspect, RecordedValue value) {
    record[static_cast<std::size_t>(aspect)] = std::move(value);
  }

  /// A complete record of a GPU: kernels and their launch, the clock.
  static CaseRecord record(const std::string& kernel, const std::string& registers, double clock) {
    CaseRecord made;
    put(made, Aspect::kernels, {kernel});
    put(made, Aspect::grid, {"64×1×1"});
    put(made, Aspect::block, {"256×1×1"});
    put(made, Aspect::registers, {registers});
    put(made, Aspect::shared_memory, {"0 + 0 B"});
    put(made, Aspect::clock, {"", clock});
    return made;
  }

  void find() {
    find_causes(comparison, [this](const Finding& finding) -> const CaseEvidence& {
      CaseEvidence& evidence = records[finding.case_id];
      evidence.baseline_info = &before;
      evidence.candidate_info = &after;
      return evidence;
    });
  }

  static const RecordedFact* fact(const Cause& cause, const std::string& name) {
    for (const RecordedFact& found : cause.facts)
      if (found.name == name) return &found;
    return nullptr;
  }

  Comparison comparison;
  RunInfo before, after;
  std::map<std::string, CaseEvidence> records;
};

TEST_F(Causes, WhatTheLedgerExcusesNeedsNone) {
  add_cases("gemm", "libtorch", 4, 8);
  comparison.ledger.resize(1);
  comparison.findings[0].entry = comparison.findings[1].entry = 1;
  find();
  ASSERT_EQ(comparison.causes.size(), 1u);
  EXPECT_EQ(comparison.causes[0].cases, 2u);
  EXPECT_EQ(comparison.findings[0].cause, 0u);
  EXPECT_EQ(comparison.findings[2].cause, 1u);
}

TEST_F(Causes, CasesOfOneRegionAreOneCauseWithBothCounts) {
  for (const char* dtype : {"bfloat16", "float32"})
    for (int k = 1024; k <= 8192; k *= 2) {
      const bool is_slower = std::string(dtype) == "bfloat16" && k >= 4096;
      add("gemm", "libtorch", std::string("dtype=") + dtype + "/k=" + std::to_string(k),
          is_slower ? Verdict::slower : Verdict::same, is_slower ? 0.04 + k / 1e6 : 0);
    }
  add("softmax", "libtorch", "n=1", Verdict::same);
  find();
  ASSERT_EQ(comparison.causes.size(), 1u);
  const Cause& cause = comparison.causes[0];
  ASSERT_EQ(cause.parts.size(), 1u);
  EXPECT_EQ(cause.parts[0].op, "gemm");
  EXPECT_EQ(cause.parts[0].changed, 2u);
  EXPECT_EQ(cause.parts[0].cases, 2u);
  EXPECT_EQ(cause.parts[0].region.size(), 2u);
  EXPECT_EQ(cause.worst_case, "gemm/libtorch/dtype=bfloat16/k=8192");
  ASSERT_EQ(cause.changes.size(), 1u);
  EXPECT_DOUBLE_EQ(cause.changes[0].low, 0.04 + 4096 / 1e6);
  EXPECT_DOUBLE_EQ(cause.changes[0].high, 0.04 + 8192 / 1e6);
  EXPECT_NEAR(*cause.cost, 1e-5 * (0.08 + 12288 / 1e6), 1e-12);
  for (const Finding& finding : comparison.findings)
    EXPECT_EQ(finding.cause, finding.verdict == Verdict::slower ? 1u : 0u);
}

TEST_F(Causes, SlowerAndFasterAreNeverOneCause) {
  add_cases("gemm", "libtorch", 4, 4);
  add("gemm", "libtorch", "n=9", Verdict::faster, -0.1);
  find();
  ASSERT_EQ(comparison.causes.size(), 2u);
  EXPECT_EQ(comparison.causes[0].verdict, Verdict::slower);
  EXPECT_EQ(comparison.causes[0].cases, 4u);
  EXPECT_EQ(comparison.causes[0].parts[0].cases, 4u) << "the faster case is outside";
  EXPECT_EQ(comparison.causes[1].verdict, Verdict::faster);
  EXPECT_LT(comparison.causes[1].changes[0].high, 0);
}

TEST_F(Causes, TimeOnTheHostAndOnTheDeviceAndMemoryAreApart) {
  for (const char* metric : {"gpu_time_cold", "gpu_time_hot", "host_time", "peak_memory"})
    add("gemm", "libtorch", "n=1", Verdict::slower, 0.05, metric);
  find();
  ASSERT_EQ(comparison.causes.size(), 3u);
  EXPECT_EQ(comparison.causes[0].changes.size() + comparison.causes[1].changes.size(), 3u);
  EXPECT_EQ(comparison.causes[2].measure, "peak_memory") << "what costs no time stands last";
  EXPECT_EQ(comparison.causes[2].unit, "B");
}

TEST_F(Causes, TheDearestComesFirstWhateverTheOrderOfFindings) {
  add("add", "libtorch", "n=1", Verdict::slower, 0.5).baseline = 1e-6;
  add("gemm", "libtorch", "n=1", Verdict::slower, 0.02).baseline = 1e-3;
  add("sum", "libtorch", "n=1", Verdict::broken).candidate_status = "CRASHED";
  find();
  ASSERT_EQ(comparison.causes.size(), 3u);
  EXPECT_EQ(comparison.causes[0].parts[0].op, "sum");
  EXPECT_EQ(comparison.causes[1].parts[0].op, "gemm");
  EXPECT_EQ(comparison.causes[2].parts[0].op, "add");
  std::ranges::reverse(comparison.findings);
  find();
  EXPECT_EQ(comparison.causes[1].parts[0].op, "gemm");
  EXPECT_EQ(comparison.findings[1].cause, 2u);
}

TEST_F(Causes, BrokenFixedNewAndMissingCasesHaveCausesOfTheirOwn) {
  add("gemm", "cudnn", "n=1", Verdict::broken).candidate_status = "CRASHED";
  add("gemm", "cudnn", "n=2", Verdict::broken).candidate_status = "WRONG";
  add("gemm", "cudnn", "n=3", Verdict::fixed).baseline_status = "WRONG";
  add("gemm", "cudnn", "n=4", Verdict::missing).candidate_status = "";
  add("gemm", "cudnn", "n=5", Verdict::added).baseline_status = "";
  add("gemm", "cudnn", "n=6", Verdict::not_judged);
  find();
  ASSERT_EQ(comparison.causes.size(), 5u);
  EXPECT_NE(comparison.causes[0].status, comparison.causes[1].status);
  EXPECT_EQ(comparison.causes[2].verdict, Verdict::missing);
  EXPECT_EQ(comparison.causes[3].verdict, Verdict::fixed);
  EXPECT_EQ(comparison.causes[4].verdict, Verdict::added);
  for (const Cause& cause : comparison.causes) EXPECT_FALSE(cause.cost);
  EXPECT_EQ(comparison.findings[5].cause, 0u);
}

TEST_F(Causes, SameKernelsAndLaunchesAreSaidOnlyWhereBothSidesRecordedThem) {
  add_cases("gemm", "libtorch", 2, 2);
  for (const char* id : {"gemm/libtorch/n=1", "gemm/libtorch/n=2"})
    records[id] = {
        record("nvjet", "128", 1.98e9), record("nvjet", "128", 1.98e9), {{"nvjet"}}, {}, {}, {}};
  find();
  EXPECT_TRUE(runs_the_same(comparison.causes[0]));
  EXPECT_EQ(fact(comparison.causes[0], "clock")->same, 2u);
  records["gemm/libtorch/n=2"].baseline = {};
  find();
  EXPECT_FALSE(runs_the_same(comparison.causes[0]));
  EXPECT_EQ(fact(comparison.causes[0], "kernels")->unknown, 1u);
  EXPECT_EQ(fact(comparison.causes[0], "kernels")->missing, "baseline");
}

TEST_F(Causes, ChangedRegistersAreCountedByCase) {
  add_cases("gemm", "libtorch", 2, 2);
  records["gemm/libtorch/n=1"] = {
      record("nvjet", "128", 1.98e9), record("nvjet", "168", 1.98e9), {{"nvjet"}}, {}, {}, {}};
  records["gemm/libtorch/n=2"] = {
      record("nvjet", "128", 1.98e9), record("nvjet", "128", 1.98e9), {{"nvjet"}}, {}, {}, {}};
  find();
  const RecordedFact* registers = fact(comparison.causes[0], "registers");
  ASSERT_NE(registers, nullptr);
  EXPECT_EQ(registers->changed, 1u);
  EXPECT_EQ(registers->same, 1u);
  EXPECT_EQ(registers->before + ">" + registers->after, "128>168");
  EXPECT_FALSE(runs_the_same(comparison.causes[0]));
}

TEST_F(Causes, OtherKernelsMakeTheirLaunchesIncomparable) {
  add_cases("gemm", "libtorch", 1, 1);
  records["gemm/libtorch/n=1"] = {
      record("old", "128", 1.98e9), record("new", "168", 1.98e9), {{"new"}}, {}, {}, {}};
  find();
  EXPECT_EQ(fact(comparison.causes[0], "kernels")->changed, 1u);
  EXPECT_EQ(fact(comparison.causes[0], "registers"), nullptr);
}

TEST_F(Causes, NothingRecordedIsUnknownAndNeverTheSame) {
  add_cases("gemm", "libtorch", 1, 1);
  before.environment = after.environment = {};
  find();
  const Cause& cause = comparison.causes[0];
  for (const RecordedFact& found : cause.facts) EXPECT_EQ(found.same, 0u) << found.name;
  EXPECT_EQ(fact(cause, "kernels")->missing, "both");
  EXPECT_EQ(fact(cause, "worker_hash")->unknown, 1u);
  EXPECT_FALSE(runs_the_same(cause));
}

TEST_F(Causes, ACpuHasNoKernelsToMiss) {
  before.environment.device_kind = after.environment.device_kind = "cpu";
  add_cases("gemm", "libtorch", 1, 1);
  find();
  EXPECT_EQ(fact(comparison.causes[0], "kernels"), nullptr);
  EXPECT_EQ(fact(comparison.causes[0], "clock"), nullptr);
}

TEST_F(Causes, AClockThatMovedAsMuchAsTheTimeIsTheLikelyReason) {
  add_cases("gemm", "libtorch", 2, 2, 0.10);
  records["gemm/libtorch/n=1"] = {
      record("nvjet", "128", 1.98e9), record("nvjet", "128", 1.80e9), {{"nvjet"}}, {}, {}, {}};
  records["gemm/libtorch/n=2"] = {
      record("nvjet", "128", 1.98e9), record("nvjet", "128", 1.94e9), {{"nvjet"}}, {}, {}, {}};
  find();
  EXPECT_EQ(comparison.causes[0].clock_explains, 1u) << "2 % of clock do not explain 10 % of time";
}

TEST_F(Causes, AClockThatRoseDoesNotExplainASlowdown) {
  add_cases("gemm", "libtorch", 1, 1, 0.10);
  records["gemm/libtorch/n=1"] = {
      record("nvjet", "128", 1.80e9), record("nvjet", "128", 1.98e9), {{"nvjet"}}, {}, {}, {}};
  find();
  EXPECT_EQ(comparison.causes[0].clock_explains, 0u);
}

TEST_F(Causes, OpsWhoseClockFellAreOneCause) {
  for (const char* op : {"gemm", "conv2d"}) {
    add_cases(op, "libtorch", 2, 4, 0.10);
    for (const char* n : {"1", "2"})
      records[std::string(op) + "/libtorch/n=" + n] = {
          record(op, "128", 1.98e9), record(op, "128", 1.80e9), {{op}}, {}, {}, {}};
  }
  find();
  ASSERT_EQ(comparison.causes.size(), 1u);
  EXPECT_EQ(comparison.causes[0].trait->kind, "clock");
  EXPECT_EQ(comparison.causes[0].parts.size(), 2u);
  EXPECT_EQ(comparison.causes[0].cases, 4u);
}

TEST_F(Causes, OpsThatShareASlowerKernelAreOneCauseAndOthersAreNot) {
  for (const char* op : {"gemm", "bmm", "conv2d"}) {
    add_cases(op, "libtorch", 2, 4);
    for (const char* n : {"1", "2", "3", "4"}) {
      const bool is_shared = std::string(op) != "conv2d" && std::string(n) < "3";
      const std::string kernel = is_shared ? "shared" : std::string(op) + n;
      records[std::string(op) + "/libtorch/n=" + n] = {
          record(kernel, "128", 1.98e9), record(kernel, "128", 1.98e9), {{kernel}}, {}, {}, {}};
    }
  }
  find();
  ASSERT_EQ(comparison.causes.size(), 2u);
  const Cause& shared = comparison.causes[0];
  ASSERT_TRUE(shared.trait);
  EXPECT_EQ(shared.trait->kind + " " + shared.trait->text, "kernel shared");
  EXPECT_EQ(shared.trait->changed, 4u);
  EXPECT_EQ(shared.trait->cases, 4u);
  EXPECT_EQ(comparison.causes[1].parts[0].op, "conv2d");
}

TEST_F(Causes, AKernelThatRunsInManyUnchangedCasesIsNoCause) {
  for (const char* op : {"gemm", "bmm"}) {
    add_cases(op, "libtorch", 1, 8);
    for (int n = 1; n <= 8; ++n)
      records[std::string(op) + "/libtorch/n=" + std::to_string(n)] = {
          record("fill", "16", 1.98e9), record("fill", "16", 1.98e9), {{"fill"}}, {}, {}, {}};
  }
  find();
  EXPECT_EQ(comparison.causes.size(), 2u);
  for (const Cause& cause : comparison.causes) EXPECT_FALSE(cause.trait);
}

TEST_F(Causes, ALibraryThatMovedUnderMostCasesOfItsBackendIsOneCause) {
  after.environment.cudnn = "9.20.0";
  add_cases("conv2d", "cudnn", 4, 4);
  add_cases("softmax", "cudnn", 4, 5);
  add_cases("softmax", "libtorch", 0, 5);
  find();
  ASSERT_EQ(comparison.causes.size(), 1u);
  ASSERT_TRUE(comparison.causes[0].trait);
  EXPECT_EQ(comparison.causes[0].trait->kind + " " + comparison.causes[0].trait->text,
            "environment cuDNN");
  EXPECT_EQ(comparison.causes[0].trait->changed, 8u);
  EXPECT_EQ(comparison.causes[0].trait->cases, 9u);
  EXPECT_EQ(fact(comparison.causes[0], "cudnn")->after, "9.20.0");
}

TEST_F(Causes, ALibraryThatMovedUnderFewOfItsCasesJoinsNothing) {
  after.environment.cudnn = "9.20.0";
  add_cases("conv2d", "cudnn", 1, 8);
  add_cases("softmax", "cudnn", 1, 8);
  find();
  EXPECT_EQ(comparison.causes.size(), 2u);
}

TEST_F(Causes, ALibraryThatABackendDoesNotUseIsNoFactOfIt) {
  after.environment.cudnn = "9.20.0";
  add_cases("softmax", "custom", 1, 1);
  add_cases("softmax", "cudnn", 1, 1);
  find();
  for (const Cause& cause : comparison.causes)
    EXPECT_EQ(fact(cause, "cudnn") != nullptr, cause.parts[0].backend == "cudnn");
}

}  // namespace
}  // namespace plumbline
