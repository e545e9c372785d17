/// How the screen reached a verdict: each number between two estimates and the verdict, in the
/// order of computation (docs/explanation/formulas.md). People can follow the steps and a program
/// can recompute them (tests/support/recompute.py).
///
/// Logarithms throughout; variances are of logarithms. Pure data.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/variance/moderated_noise.h"
#include "analysis/variance/noise_fit.h"

namespace plumbline {

struct Derivation {
  double change = 0;               // log(candidate / baseline), before shifts of the run
  std::size_t center_runs = 1;     // runs whose median stands for the baseline; 1: its run alone
  double shift = 0;                // common movement that is removed
  double shift_error = 0;          // its standard error
  double inverse_visits = 0;       // 1/n + 1/n of both sides
  Noise own_visits;                // of a visit, as this case alone shows it
  double block_floor = 0;          // lower bound for a visit, from its blocks
  Noise visits;                    // of a visit, moderated over similar cases
  bool is_on_new_machine = false;  // `runs` is between machines, beyond the noise of visits
  Noise own_runs, runs;            // of a run, before and after moderation; df 0: unknown
  Noise rule;                      // of the change: what whole runs, or machines, add
  double disturbed_variance =
      0;                    // of the change, where the candidate's visits scatter by more than
  double disturbed_df = 0;  // those of earlier runs; df 0: they do not
  double resolution = 0;    // smallest step of the values, where a history is used
  Noise change_noise;       // of the change, as judged
  NoiseFit fit;             // the fit applied to the metric
  double error = 0;         // of the change: noise and shift
  double level = 0;         // of a single test: the p value that corresponds to the family's rate
  double least_called = 0;  // smallest change that is reported as one
};

}  // namespace plumbline
