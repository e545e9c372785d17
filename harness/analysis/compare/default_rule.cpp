#include <string_view>

#include "analysis/compare/compare.h"

namespace plumbline {

DecisionRule default_rule(std::string_view device_kind) {
  DecisionRule rule;
  if (device_kind == "cuda") {
    // Measured on an H200: half an hour apart, estimates over 32 placements and 6 processes move by
    // 0.25 % in the median and 1.1 % at most. All of a run's small kernels move together when a
    // process happens to launch in 3.26 instead of 3.40 us: 0.7 % over a suite of short cases, so a
    // smaller shift of the whole run is no finding.
    rule.run_sd = 0.0025;
    // The deviations of runs have heavy tails: processes fall into modes (a batched gemm of 16 us
    // in modes 2.5 % apart), and three of a run can all fall into one. Taken as normal, one of 891
    // cases of three A/A comparisons on an H200 was called slower.
    rule.run_df = 5;
    return rule;
  }
  // Processes on shared CPUs differ by 3-5 %, which the visits show themselves. Whole runs move by
  // about 3 % more, which one baseline run cannot show: 2.5 % a run is 3.5 % between two. With 4 %
  // between visits a difference of two runs of 3 rounds then has a standard error of 4.8 %. A
  // change below 10 %, of a case or of the whole run, is therefore not worth a claim; an interval
  // of about 12 % to either side lies inside a margin of 20 % and would never lie inside a narrower
  // one; and +50 % (0.41 in the logarithm) stands 8 standard errors out.
  rule.effect_floor = 0.10;
  rule.margin = 0.20;
  rule.run_sd = 0.025;
  rule.run_df = 4;  // a guess about a stranger's machine, not a measurement of it
  rule.shift_floor = 0.10;
  return rule;
}

}  // namespace plumbline
