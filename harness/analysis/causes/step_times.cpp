#include "analysis/causes/step_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "analysis/estimate/estimate.h"
#include "core/run/case.h"
#include "stats/quadrature.h"

namespace plumbline {
namespace {

/// The first of these that a case has is its time in a step.
constexpr std::array<std::string_view, 3> kMetrics{"gpu_time_cold", "gpu_time_hot", "wall_time"};

struct CaseTime {
  std::size_t rank = kMetrics.size();  // of its metric
  double baseline_s = 0, candidate_s = 0;
  std::optional<double> half_width_s;
};

using CaseTimes = std::map<CaseKey, CaseTime>;

std::size_t rank_of(std::string_view metric) {
  return std::size_t(std::ranges::find(kMetrics, metric) - kMetrics.begin());
}

CaseTimes times_of(const Comparison& comparison) {
  CaseTimes times;
  for (const Finding& finding : comparison.findings) {
    const std::size_t rank = rank_of(finding.metric);
    if (rank == kMetrics.size() || !finding.baseline || !finding.change) continue;
    CaseTime& time = times[{finding.suite, finding.case_id}];
    if (rank >= time.rank) continue;
    const double before = *finding.baseline;
    time = {rank, before, before * (1 + *finding.change), std::nullopt};
    if (finding.change_low && finding.change_high)
      time.half_width_s = before * (*finding.change_high - *finding.change_low) / 2;
  }
  return times;
}

CaseTimes times_of(const Run& run) {
  CaseTimes times;
  for (const CaseRows& rows : rows_by_case(run)) {
    if (is_failure(rows.status)) continue;
    for (const MetricRows& metric : rows.metrics) {
      CaseTime& time = times[{std::string(rows.suite), std::string(rows.case_id)}];
      const std::size_t rank = rank_of(metric.metric);
      if (rank >= time.rank) continue;
      const double value = estimate(metric.rows).value;
      time = {rank, value, value, 0};
    }
  }
  std::erase_if(times, [](const auto& entry) { return entry.second.rank == kMetrics.size(); });
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
  return sums_of(comparison.candidate.suites, times_of(comparison));
}

std::vector<StepTime> step_times(const Run& run) { return sums_of(run.info.suites, times_of(run)); }

}  // namespace plumbline
