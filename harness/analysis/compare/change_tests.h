/// The test of each change: what it errs by, from visits, earlier runs and the rule, and how that
/// is fitted to what the changes of a metric scatter by. Steps 3 to 6 of
/// docs/explanation/formulas.md.
///
/// Knows contrasts, neither runs nor verdicts.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "analysis/compare/judge.h"
#include "analysis/compare/shifts.h"
#include "analysis/variance/moderated_noise.h"
#include "stats/student_t.h"

namespace plumbline {

/// A contrast without the shifts of the run, and what it errs by.
struct ChangeTest {
  double change = 0, shift_error = 0;
  Noise noise;  // of the change, except for the error of the shift
  ErrorParts parts;
  Noise of_rule;  // its part that the rule says of whole runs; 0: a history says it
  std::shared_ptr<Derivation> way;  // to it, of 10,000 tests at most: of more, nobody asks

  double error() const { return std::sqrt(noise.variance + shift_error * shift_error); }
  double p_value() const {
    return student_t_two_sided_p(change == 0 ? 0 : change / error(), noise.df);
  }
};

/// By contrast, before they are fitted.
std::vector<ChangeTest> change_tests(const std::vector<Contrast>& contrasts, const Shifts& shifts,
                                     const DecisionRule& rule,
                                     const std::vector<Finding>& findings);

/// Fits each metric of times by itself: one timer may be disturbed where another is not.
NoiseFits fit_noise(std::vector<ChangeTest>& tests, const std::vector<Contrast>& contrasts,
                    const DecisionRule& rule, const std::vector<Finding>& findings);

}  // namespace plumbline
