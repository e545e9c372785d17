// Where the time of changed cases went.
#include "analysis/causes/moved_parts.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

class MovedParts : public testing::Test {
 protected:
  MovedParts() {
    finding.suite = "networks";
    finding.case_id = "resnet";
    findings.push_back(finding);
    draft.cases.push_back({{0}, &evidence});
  }

  void add_phase(const std::string& metric, double before, double after) {
    shown.push_back({"networks", "resnet", metric, "s", before, after, after / before - 1});
  }
  std::vector<MovedPart> parts(double cost_s = 1e-3) const {
    return moved_parts(draft, findings, phases_by_case(shown), cost_s);
  }
  static std::string names(const std::vector<MovedPart>& parts) {
    std::string text;
    for (const MovedPart& part : parts) text += part.kind + " " + part.name + ", ";
    return text;
  }

  Finding finding;
  std::vector<Finding> findings;
  std::vector<ShownMetric> shown;
  CaseEvidence evidence;
  CauseDraft draft;
};

TEST_F(MovedParts, ThePhaseThatMovedIsTold) {
  add_phase("forward_time", 10e-3, 11e-3);
  add_phase("backward_time", 20e-3, 20.05e-3);
  add_phase("peak_memory", 1, 9);
  const auto found = parts();
  ASSERT_EQ(names(found), "phase forward, ");
  EXPECT_DOUBLE_EQ(found[0].before_s, 10e-3);
  EXPECT_DOUBLE_EQ(found[0].after_s, 11e-3);
}

TEST_F(MovedParts, LargerMovementsComeFirstAndSmallerThanATenthOfTheChangeAreLeftOut) {
  add_phase("forward_time", 10e-3, 10.2e-3);
  add_phase("backward_time", 20e-3, 20.9e-3);
  add_phase("optimizer_time", 5e-3, 4.92e-3);
  EXPECT_EQ(names(parts(1.1e-3)), "phase backward, phase forward, ");
  EXPECT_EQ(names(parts(4e-3)), "phase backward, ");
  EXPECT_EQ(names(parts(20e-3)), "");
}

TEST_F(MovedParts, KernelsAreMatchedByNameAndNewOnesHadNoTime) {
  evidence.baseline_kernels = {{"conv", 4e-3}, {"relu", 1e-3}};
  evidence.kernels = {{"conv", 4.01e-3}, {"relu", 1e-3}, {"clone", 0.5e-3}};
  const auto found = parts(0.5e-3);
  ASSERT_EQ(names(found), "kernel clone, ");
  EXPECT_EQ(found[0].before_s, 0);
}

TEST_F(MovedParts, OneKernelOrOnePhaseOrASideThatWasNotTracedTellsNothing) {
  add_phase("forward_time", 10e-3, 11e-3);
  evidence.baseline_kernels = {{"conv", 4e-3}};
  evidence.kernels = {{"conv", 5e-3}};
  EXPECT_EQ(names(parts()), "");
  evidence.baseline_kernels = {{"conv", 4e-3}, {"relu", kUnknown}};
  evidence.kernels = {{"conv", 5e-3}, {"relu", 1e-3}};
  EXPECT_EQ(names(parts()), "");
  evidence.baseline_kernels = {};
  EXPECT_EQ(names(parts()), "");
}

}  // namespace
}  // namespace plumbline
