#include "gbench/benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/compare/compare.h"
#include "analysis/estimate/estimate.h"
#include "core/run/metric.h"

namespace plumbline {
namespace {

CaseBenchmark benchmark_of(const std::vector<Case>& cases, std::size_t subject,
                           std::string_view metric) {
  const Case& c = cases[subject];
  return {subject, fmt::format("{}/{}/{}", c.suite, c.id, metric), c.policy->rounds, {}, {}};
}

/// The judged times among the policy's metrics on that kind of device.
std::vector<std::string_view> expected_metrics(const Policy& policy,
                                               const std::string& device_kind) {
  if (device_kind != "cuda") return {"wall_time"};
  std::vector<std::string_view> names;
  for (const Metric& metric : metrics()) {
    if (metric.unit != "s" || !is_judged(metric.name) ||
        std::ranges::find(policy.metrics, metric.measurement) == policy.metrics.end())
      continue;
    const auto is_of = [&](const std::string& cache) {
      return metric.name == std::string(metric.measurement) + "_" + cache;
    };
    if (metric.name == metric.measurement || std::ranges::any_of(policy.cache, is_of))
      names.push_back(metric.name);
  }
  return names;
}

void add_expected(const std::vector<Case>& cases, std::size_t subject,
                  const std::string& device_kind, const std::string& error,
                  std::vector<CaseBenchmark>& benchmarks) {
  for (const std::string_view metric : expected_metrics(*cases[subject].policy, device_kind))
    benchmarks.emplace_back(benchmark_of(cases, subject, metric)).error = error;
}

/// Why the rows cannot be reported as times; "" if they can.
std::string error_of(const MetricRows& metric, std::int64_t rounds) {
  if (metric.unit != "s") return "the unit of this metric is " + std::string(metric.unit);
  if (std::cmp_not_equal(metric.rows.size(), rounds))
    return fmt::format("measured in {} of {} rounds", metric.rows.size(), rounds);
  for (const ResultRow* row : metric.rows)
    if (!(visit_value(*row).mean > 0))
      return "the time is not above 0 once the timer's floor is subtracted";
  return "";
}

}  // namespace

std::vector<CaseBenchmark> expected_benchmarks(const std::vector<Case>& cases,
                                               const std::string& device_kind) {
  std::vector<CaseBenchmark> benchmarks;
  for (std::size_t i = 0; i < cases.size(); ++i)
    add_expected(cases, i, device_kind, "", benchmarks);
  return benchmarks;
}

std::vector<CaseBenchmark> measured_benchmarks(const std::vector<Case>& cases,
                                               const std::string& device_kind, const Run& run) {
  const std::vector<CaseRows> results = rows_by_case(run);
  std::map<std::pair<std::string_view, std::string_view>, const CaseRows*> result_of;
  for (const CaseRows& rows : results) result_of[{rows.suite, rows.case_id}] = &rows;
  std::vector<CaseBenchmark> benchmarks;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CaseRows& result = *result_of.at({cases[i].suite, cases[i].id});
    if (!has_samples(result.status)) {
      add_expected(cases, i, device_kind, no_repetitions(result.status, result.reason), benchmarks);
      continue;
    }
    for (const MetricRows& metric : result.metrics) {
      if (!is_judged(metric.metric)) continue;
      CaseBenchmark& made = benchmarks.emplace_back(benchmark_of(cases, i, metric.metric));
      made.error = error_of(metric, made.rounds);
      if (!made.error.empty()) continue;
      for (const ResultRow* row : metric.rows) made.visits.push_back(repetition_of(*row));
    }
    for (const auto& [metric, reason] : result.absent)
      if (is_judged(metric) &&
          std::ranges::find(result.metrics, metric, &MetricRows::metric) == result.metrics.end())
        benchmarks.emplace_back(benchmark_of(cases, i, metric)).error = "not measured: " + reason;
  }
  return benchmarks;
}

}  // namespace plumbline
