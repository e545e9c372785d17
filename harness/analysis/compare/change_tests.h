/// The test of each change: its error from visits, earlier runs and the rule, and the fit of that
/// error to the scatter of a metric's changes. Steps 3 to 6 of docs/explanation/formulas.md.
///
/// Knows contrasts; does not know runs or verdicts.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "analysis/compare/judge.h"
#include "analysis/compare/shifts.h"
#include "analysis/variance/moderated_noise.h"
#include "stats/student_t.h"

namespace plumbline {

/// A contrast without the shifts of the run, and the error of its change.
struct ChangeTest {
  double change = 0, shift_error = 0;
  Noise noise;  // of the change, without the error of the shift
  ErrorParts parts;
  Noise of_rule;  // the part that the rule assumes for whole runs; 0: a history shows it
  std::shared_ptr<Derivation> way;  // its steps; only kept up to 10,000 tests

  double error() const { return std::sqrt(noise.variance + shift_error * shift_error); }
  double p_value() const {
    return student_t_two_sided_p(change == 0 ? 0 : change / error(), noise.df);
  }
};

/// One test for each contrast, before the fit.
std::vector<ChangeTest> change_tests(const std::vector<Contrast>& contrasts, const Shifts& shifts,
                                     const DecisionRule& rule,
                                     const std::vector<Finding>& findings);

/// Fits each metric of times separately: one timer may be disturbed where another is not.
NoiseFits fit_noise(std::vector<ChangeTest>& tests, const std::vector<Contrast>& contrasts,
                    const DecisionRule& rule, const std::vector<Finding>& findings);

}  // namespace plumbline
