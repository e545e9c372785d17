#include "suite/recorded_steps.h"

#include <gtest/gtest.h>

#include "support/written_suite.h"

namespace plumbline {
namespace {

std::string suite_with(const std::string& steps, const std::string& calls) {
  return "suite: s\nsteps: " + steps +
         "\nbenchmarks:\n  - {op: softmax, sweep: {rows: 8, cols: [8, 16], dtype: float32}, "
         "calls: " +
         calls + "}\n";
}

TEST(RecordedSteps, AreOfTheSuiteAndTheirCallsOfEachCase) {
  const Suite suite = WrittenSuite(suite_with("{training: {phases: [forward, backward], time: "
                                              "0.02}, decode: {phases: decode, busy: 1e-3}}",
                                              "{forward: 4, decode: 0.5}"))
                          .load();
  ASSERT_EQ(suite.steps.size(), 2u);
  EXPECT_EQ(suite.steps[0].name, "training");
  EXPECT_EQ(suite.steps[0].phases, (std::vector<std::string>{"forward", "backward"}));
  EXPECT_EQ(suite.steps[0].time_s, 0.02);
  EXPECT_EQ(suite.steps[1].busy_s, 1e-3);
  ASSERT_EQ(suite.cases.size(), 2u);
  for (const Case& c : suite.cases)
    EXPECT_EQ(c.calls, (CallsByPhase{{"forward", 4}, {"decode", 0.5}}));
}

TEST(RecordedSteps, MistakesAreToldAtTheirPlace) {
  const std::string one = "{training: {phases: [forward]}}";
  EXPECT_EQ(
      WrittenSuite(suite_with(one, "{backward: 1}")).mistake(),
      "FILE:4:76: the phase 'backward' belongs to none of the suite's 'steps'; allowed: forward");
  EXPECT_EQ(WrittenSuite(suite_with(one, "{forward: 0}")).mistake(),
            "FILE:4:85: found the integer 0; the calls in 'forward' is a number above 0");
  EXPECT_EQ(WrittenSuite(suite_with("{a: {phases: [x]}, b: {phases: [x]}}", "{x: 1}")).mistake(),
            "FILE:2:40: the phase 'x' appears twice; a phase belongs to one step");
}

}  // namespace
}  // namespace plumbline
