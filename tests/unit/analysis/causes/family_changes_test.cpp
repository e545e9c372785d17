#include "analysis/causes/family_changes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace plumbline {
namespace {

/// `change`: a fraction, within ± 1 %.
Finding finding_of(const std::string& op, const std::string& backend, const std::string& id,
                   double change, Verdict verdict, const std::string& metric = "wall_time") {
  Finding finding;
  finding.suite = "s";
  finding.op = op;
  finding.backend = backend;
  finding.case_id = op + "/" + backend + "/" + id;
  finding.metric = metric;
  finding.unit = "s";
  finding.verdict = verdict;
  finding.baseline = 1e-3;
  finding.candidate = 1e-3 * (1 + change);
  finding.change = change;
  finding.change_low = change - 0.01 * (1 + change);
  finding.change_high = change + 0.01 * (1 + change);
  return finding;
}

const FamilyChange& family(const std::vector<FamilyChange>& all, const std::string& op,
                           const std::string& backend) {
  for (const FamilyChange& one : all)
    if (one.op == op && one.backend == backend) return one;
  throw std::out_of_range(op);
}

TEST(FamilyChanges, AreTheGeometricMeansOfTheCasesOfAnOpOnALibrary) {
  Comparison comparison;
  comparison.findings = {finding_of("gemm", "libtorch", "a", 1.0, Verdict::slower),
                         finding_of("gemm", "libtorch", "b", -0.5, Verdict::faster),
                         finding_of("gemm", "cudnn", "a", 0.21, Verdict::unresolved),
                         finding_of("gemm", "cudnn", "b", 0, Verdict::same)};
  const auto families = family_changes(comparison);
  ASSERT_EQ(families.size(), 2U);
  const FamilyChange& torch = family(families, "gemm", "libtorch");
  EXPECT_NEAR(torch.change, 0, 1e-12) << "twice and half as long cancel";
  EXPECT_EQ(torch.low, -0.5);
  EXPECT_EQ(torch.high, 1.0);
  EXPECT_EQ(torch.slower, 1U);
  EXPECT_EQ(torch.faster, 1U);
  const FamilyChange& cudnn = family(families, "gemm", "cudnn");
  EXPECT_NEAR(cudnn.change, 0.1, 1e-12);  // √(1.21 · 1) − 1
  ASSERT_TRUE(cudnn.half_width);
  EXPECT_NEAR(*cudnn.half_width, 1.1 * 0.01 * std::sqrt(2) / 2, 1e-9);
  EXPECT_EQ(cudnn.same, 1U);
  EXPECT_EQ(cudnn.others, 1U);
  EXPECT_EQ(families.front().backend, "libtorch") << "with a verdict, although it moved less";
}

TEST(FamilyChanges, AreThoseOfKernelsWhereNothingElseIsTimed) {
  Comparison comparison;
  comparison.findings = {
      finding_of("layer_norm", "cudnn", "a", 0.2, Verdict::slower, "kernel_time_hot"),
      finding_of("gemm", "cudnn", "a", 0.3, Verdict::slower, "kernel_time_hot"),
      finding_of("gemm", "cudnn", "a", 0.1, Verdict::slower, "gpu_time_hot")};
  const auto families = family_changes(comparison);
  EXPECT_EQ(family(families, "layer_norm", "cudnn").cases, 1U);
  EXPECT_NEAR(family(families, "layer_norm", "cudnn").change, 0.2, 1e-12);
  EXPECT_NEAR(family(families, "gemm", "cudnn").change, 0.1, 1e-12) << "gpu_time comes first";
}

TEST(FamilyChanges, OfAStepAreWeightedByItsCalls) {
  Comparison comparison;
  comparison.findings = {finding_of("gemm", "libtorch", "large", 0.1, Verdict::slower),
                         finding_of("gemm", "libtorch", "small", -0.5, Verdict::faster),
                         finding_of("add", "libtorch", "a", -0.5, Verdict::faster)};
  SuiteRef& suite = comparison.candidate.suites.emplace_back();
  suite.name = "s";
  suite.steps = {{.name = "training", .phases = {"forward", "backward"}}};
  suite.calls = {{"gemm/libtorch/large", {{"forward", 8}, {"backward", 1}}},
                 {"gemm/libtorch/small", {{"forward", 1}}},
                 {"add/libtorch/a", {{"optimizer", 5}}}};
  const auto families = family_changes(comparison);
  const FamilyChange& gemm = family(families, "gemm", "libtorch");
  EXPECT_NEAR(gemm.step_baseline_s, 10e-3, 1e-12);
  EXPECT_NEAR(gemm.step_added_s(), 9 * 0.1e-3 - 0.5e-3, 1e-12);
  EXPECT_NEAR(gemm.change, 0.04, 1e-9);
  ASSERT_TRUE(gemm.half_width);
  EXPECT_NEAR(*gemm.half_width, std::hypot(9 * 1.1e-5, 0.5e-5) / 10e-3, 1e-9);
  EXPECT_EQ(families.front().op, "gemm") << "it adds the most";
  const FamilyChange& add = family(families, "add", "libtorch");
  EXPECT_EQ(add.step_baseline_s, 0) << "that phase is not of the step";
  EXPECT_NEAR(add.change, -0.5, 1e-12);
}

TEST(FamilyChanges, ACaseCountsOnceWithItsTimeAndItsWorstVerdict) {
  Comparison comparison;
  comparison.findings = {finding_of("gelu", "custom", "a", 0.5, Verdict::slower, "gpu_time_hot"),
                         finding_of("gelu", "custom", "a", 0.1, Verdict::same, "gpu_time_cold"),
                         finding_of("gelu", "custom", "a", 3.0, Verdict::unresolved, "host_time")};
  const auto families = family_changes(comparison);
  ASSERT_EQ(families.size(), 1U);
  EXPECT_EQ(families[0].cases, 1U);
  EXPECT_EQ(families[0].slower, 1U);
  EXPECT_EQ(families[0].same, 0U);
  EXPECT_NEAR(families[0].change, 0.1, 1e-12) << "of the cold time";
}

TEST(FamilyChanges, ABrokenCaseHasNoTimeAndComesFirst) {
  Comparison comparison;
  comparison.findings = {finding_of("add", "libtorch", "a", 0.5, Verdict::slower),
                         finding_of("sum", "libtorch", "a", 0, Verdict::broken)};
  comparison.findings[1].change.reset();
  const auto families = family_changes(comparison);
  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[0].op, "sum");
  EXPECT_EQ(families[0].broken, 1U);
  EXPECT_EQ(families[0].cases, 0U);
}

TEST(FamilyChanges, AreOfInterestWherePairsComparedLibraries) {
  Comparison comparison;
  comparison.environment_changes = {{"cudnn", "cuDNN", "subject", "9.19.0", "9.28.1"}};
  EXPECT_FALSE(compares_libraries(comparison)) << "of two nights";
  comparison.is_ab = true;
  EXPECT_TRUE(compares_libraries(comparison));
  comparison.environment_changes = {{"worker_hash", "worker", "subject", "1", "2"}};
  EXPECT_FALSE(compares_libraries(comparison)) << "of a user's own code";
}

}  // namespace
}  // namespace plumbline
