#include <string_view>

#include "analysis/compare/compare.h"
#include "analysis/variance/noise_priors.h"

namespace plumbline {

DecisionRule default_rule(std::string_view device_kind) {
  DecisionRule rule;
  const NoisePrior& runs = noise_prior(device_kind, Sameness::same);
  rule.run_sd = runs.run_sd;
  rule.run_df = runs.run_df;
  // All small kernels of a run move together when a process happens to launch in 3.26 instead of
  // 3.40 us: 0.7 % over a suite of short cases (on an H200). A shift below 1 % is no finding.
  if (device_kind == "cuda") return rule;
  // Whole runs of a CPU are taken to move by 2.5 %, which is 3.5 % between two. With 4 % between
  // visits a difference of two runs of 3 rounds then has a standard error of 4.8 %. A change below
  // 10 %, of a case or of the whole run, is therefore not worth a claim; an interval of about 12 %
  // to either side lies inside a margin of 20 % and would never lie inside a narrower one; and
  // +50 % (0.41 in the logarithm) stands 8 standard errors out.
  rule.effect_floor = 0.10;
  rule.margin = 0.20;
  rule.shift_floor = 0.10;
  return rule;
}

DecisionRule rule_between(Sameness between, std::string_view device_kind, DecisionRule rule) {
  if (between == Sameness::same || rule.run_sd == 0) return rule;
  const NoisePrior& prior = noise_prior(device_kind, between);
  rule.run_sd = prior.run_sd;
  rule.run_df = prior.run_df;
  return rule;
}

}  // namespace plumbline
