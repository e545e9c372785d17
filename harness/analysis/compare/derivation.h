/// How the screen came to a verdict: each number on the way from two estimates to it, in the order
/// in which they are made (docs/explanation/formulas.md), so that people can follow and a program
/// can recompute it (tests/support/recompute.py).
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
  std::size_t center_runs = 1;     // whose median stands for the baseline; 1: its run alone
  double shift = 0;                // that is taken off
  double shift_error = 0;          // its standard error
  double inverse_visits = 0;       // 1/n + 1/n of both sides
  Noise own_visits;                // of a visit, as this case shows it
  double block_floor = 0;          // of a visit, the least that its blocks allow
  Noise visits;                    // of a visit, moderated over like cases
  bool is_on_new_machine = false;  // `runs` is of other machines: what they stray by beyond visits
  Noise own_runs, runs;            // of a run, from earlier ones, and moderated; df 0: not known
  Noise rule;                      // of the change, what whole runs, or machines, add
  double disturbed_variance =
      0;                    // of the change, where the candidate's visits scatter by more than
  double disturbed_df = 0;  // those of earlier runs; df 0: they do not
  double resolution = 0;    // smallest step of the values, where a history is used
  Noise change_noise;       // of the change, as it was judged
  NoiseFit fit;             // that was applied to the metric
  double error = 0;         // of the change: noise and shift
  double level = 0;         // of a single test: p that the family's rate comes to
  double least_called = 0;  // smallest change that is called
};

}  // namespace plumbline
