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

CaseTimes times_of(const Run& run) {
  CaseTimes times;
  for (const CaseRows& rows : rows_by_case(run)) {
    if (is_failure(rows.status)) continue;
    for (const MetricRows& metric : rows.metrics) {
      const auto rank = rank_as_time(metric.metric);
      if (!rank) continue;
      const CaseKey key{std::string(rows.suite), std::string(rows.case_id)};
      if (const auto known = times.find(key); known != times.end() && known->second.rank <= *rank)
        continue;
      const double value = estimate(metric.rows).value;
      times[key] = {*rank, value, value, 0};
    }
  }
  return times;
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
  if (std::ranges::all_of(comparison.candidate.suites,
                          [](const SuiteRef& suite) { return suite.steps.empty(); }))
    return {};
  return sums_of(comparison.candidate.suites, case_times(comparison));
}

std::vector<StepTime> step_times(const Run& run) { return sums_of(run.info.suites, times_of(run)); }

}  // namespace plumbline
