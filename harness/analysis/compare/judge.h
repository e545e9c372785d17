/// The numbers behind a verdict: shifts of the run (shifts.h), variance of each change,
/// multiplicity, decision, and the words for undecided cases.
///
/// Knows changes of estimates and their noise, but not runs or samples.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/variance/other_device.h"

namespace plumbline {

/// A case × metric that was measured often enough on both sides. All values are logarithms.
struct Contrast {
  std::size_t finding = 0;          // index of the Finding that it decides
  double change = 0;                // log(candidate / baseline)
  double variance = 0;              // of a visit, pooled over both sides
  double df = 0;                    // of `variance`: visits − 2
  double block_floor = 0;           // lower bound of a visit's variance, from its blocks
  double inverse_visits = 0;        // 1/n + 1/n of the two sides
  double history_variance = 0;      // of a run's estimate between whole runs, from earlier runs
  double history_df = 0;            // of `history_variance`; 0: no earlier runs
  std::size_t center_runs = 1;      // runs whose median `change` refers to; 1: the baseline alone
  bool is_of_machines = false;      // history_variance is between machines, of their latest runs
  double inverse_of_candidate = 0;  // 1/n of its visits
  double own_variance = 0;          // of `change`, where the candidate's visits scatter by more
  double own_df = 0;                // than those of earlier runs; 0 = they do not
  double resolution = 0;            // smallest step of the values, relative
  double blocks = 0;                // of a visit, mean over both sides
  bool is_more_better = false;      // a rise is an improvement
  RunPart part = RunPart::whole;    // the part its time moves with; whole: no special part
  // How the machines that measured the case on both sides are related.
  Sameness sameness = Sameness::same;
  // They differ in device, machine or its state, and earlier runs do not show by how much.
  bool is_other_device = false;
  // Assumed difference between whole runs of these two machines, where that is not the rule's for
  // all cases; 0 degrees of freedom: the rule's.
  double apart_sd = 0, apart_df = 0;
};

struct RunShifts {
  std::optional<RunShift> whole;
  std::vector<RunShift> parts;  // parts that moved differently from the whole run
  double untold = 0;  // common movement of all cases, a fraction, too small to be reported
  NoiseFits fits;     // of the noise model of times
};

/// Estimates the shifts of the run and sets change, interval, p values, detectable change and
/// verdict of every finding that a contrast points at. Suite, case_id, op, backend, metric, unit
/// and threshold must be set already; findings of a case must be adjacent. Returns shifts to
/// report.
RunShifts judge(const std::vector<Contrast>& contrasts, const DecisionRule& rule,
                std::vector<Finding>& findings);

/// "+1.4 %", "−0.03 %": with enough digits to tell a change from none.
std::string percent_text(double fraction, bool with_sign = true);

}  // namespace plumbline
