/// How the change of a program's step is said.
#include "reports/step_text.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

StepTime step_of(double baseline_s, double candidate_s, double half_width_s) {
  StepTime step;
  step.step = "training";
  step.baseline_s = baseline_s;
  step.candidate_s = candidate_s;
  step.half_width_s = half_width_s;
  return step;
}

TEST(StepText, AChangeHasAsManyDigitsAsItsInterval) {
  EXPECT_EQ(step_sentence(step_of(1e-3, 1.008e-3, 2e-6)), "training step +0.80 % ± 0.20 %");
}

TEST(StepText, AnIntervalThatSaysNothingHasNoAbsurdFigure) {
  EXPECT_EQ(step_sentence(step_of(1e-3, 1e-3, 140)), "training step 0 % ± over 1\u2009000 %");
  EXPECT_EQ(step_sentence(step_of(1e-3, 1e-3, 9e-3)), "training step 0 % ± 900 %");
}

}  // namespace
}  // namespace plumbline
