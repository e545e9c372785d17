#include "analysis/causes/step_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "analysis/causes/case_times.h"
#include "analysis/estimate/estimate.h"
#include "core/run/case.h"
#include "stats/quadrature.h"

namespace plumbline {
namespace {

CaseTimes times_of(std::span<const CaseSummary> rows) {
  CaseTimes times;
  for (const CaseSummary& row : rows) {
    if (is_failure(row.status)) continue;
    const auto rank = rank_as_time(row.metric);
    if (!rank) continue;
    const CaseKey key{row.suite, row.case_id};
    if (const auto known = times.find(key); known != times.end() && known->second.rank <= *rank)
      continue;
    times[key] = {*rank, row.estimate, row.estimate, 0};
  }
  return times;
}

bool have_steps(const std::vector<SuiteRef>& suites) {
  return std::ranges::any_of(suites, [](const SuiteRef& suite) { return !suite.steps.empty(); });
}

/// Number of calls in these phases.
double calls_in(const CallsByPhase& calls, const std::vector<std::string>& phases) {
  double count = 0;
  for (const std::string& phase : phases)
    if (const auto found = calls.find(phase); found != calls.end()) count += found->second;
  return count;
}

void add_case(const std::string& id, double calls, const CaseTime* time, StepTime& step) {
  if (!time) {
    ++step.untimed;
    return;
  }
  const StepPart part{id, calls, calls * time->baseline_s, calls * time->candidate_s};
  step.baseline_s += part.baseline_s;
  step.candidate_s += part.candidate_s;
  if (!time->half_width_s || !step.half_width_s)
    step.half_width_s.reset();
  else
    step.half_width_s = in_quadrature(*step.half_width_s, calls * *time->half_width_s);
  step.parts.push_back(part);
}

StepTime sum_over(const SuiteRef& suite, const RecordedStep& recorded, const std::string& phase,
                  const CaseTimes& times) {
  StepTime step{.suite = suite.name, .step = recorded.name, .phase = phase, .parts = {}};
  step.half_width_s = 0;
  const auto phases = phase.empty() ? recorded.phases : std::vector<std::string>{phase};
  for (const auto& [id, by_phase] : suite.calls) {
    const double calls = calls_in(by_phase, phases);
    if (calls == 0) continue;
    const auto found = times.find({suite.name, id});
    add_case(id, calls, found == times.end() ? nullptr : &found->second, step);
  }
  std::ranges::stable_sort(step.parts, std::greater{}, [](const StepPart& part) {
    return std::pair(std::abs(part.candidate_s - part.baseline_s), part.baseline_s);
  });
  if (!phase.empty()) return step;
  step.is_busy_time = !std::isnan(recorded.busy_s);
  step.measured_s = step.is_busy_time ? recorded.busy_s : recorded.time_s;
  return step;
}

std::vector<StepTime> sums_of(const std::vector<SuiteRef>& suites, const CaseTimes& times) {
  std::vector<StepTime> steps;
  const auto add = [&](StepTime step) {
    if (step.baseline_s > 0) steps.push_back(std::move(step));
  };
  for (const SuiteRef& suite : suites)
    for (const RecordedStep& recorded : suite.steps) {
      add(sum_over(suite, recorded, "", times));
      if (recorded.phases.size() > 1)
        for (const std::string& phase : recorded.phases)
          add(sum_over(suite, recorded, phase, times));
    }
  return steps;
}

}  // namespace

bool StepTime::has_changed() const {
  return half_width_s && std::abs(candidate_s - baseline_s) > *half_width_s;
}

std::vector<StepTime> step_times(const Comparison& comparison) {
  if (!have_steps(comparison.candidate.suites)) return {};
  return sums_of(comparison.candidate.suites, case_times(comparison));
}

std::vector<StepTime> step_times(const Run& run) {
  return have_steps(run.info.suites) ? step_times(run.info, summarize(run))
                                     : std::vector<StepTime>();
}

std::vector<StepTime> step_times(const RunInfo& info, std::span<const CaseSummary> rows) {
  return have_steps(info.suites) ? sums_of(info.suites, times_of(rows)) : std::vector<StepTime>();
}

}  // namespace plumbline
