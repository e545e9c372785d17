/// Nights of cases with a planted truth, judged against the level of earlier ones, against the
/// accepted run alone, and by a simple rule. For simulations.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/compare/contrast.h"
#include "analysis/history/history.h"
#include "stats/descriptive.h"
#include "stats/multiplicity.h"
#include "stats/student_t.h"

namespace plumbline::simulated {

inline constexpr std::size_t kNightVisits = 3;

using NightLogs = std::array<double, kNightVisits>;  // logarithms of visits
using CaseNights = std::vector<NightLogs>;           // in order of time; the last is the candidate

inline Estimate estimate_of(const NightLogs& night) {
  std::array<ResultRow, kNightVisits> rows;
  std::array<const ResultRow*, kNightVisits> visits{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].unit = std::string("s");
    rows[i].samples.add_block(std::array{std::exp(night[i])});
    visits[i] = &rows[i];
  }
  return estimate(visits);
}

/// A rule's results for one night, or their mean over nights. The first `slowed` cases are slower.
struct NightCalls {
  double wrong = 0, found = 0;  // `found`: share of the slowed cases

  void add(std::size_t i, bool is_called, std::size_t slowed) {
    if (is_called) (i < slowed ? found : wrong) += i < slowed ? 1.0 / double(slowed) : 1;
  }
  void add_share(const NightCalls& calls, double nights) {
    wrong += calls.wrong / nights;
    found += calls.found / nights;
  }
};

/// The nights as a history. `accepted`: index of the accepted night.
inline History history_of(const std::vector<CaseNights>& cases, std::size_t accepted) {
  History history;
  history.runs.resize(cases.at(0).size());
  history.runs[accepted].is_baseline = true;
  history.runs.back().is_candidate = true;
  for (const CaseNights& nights : cases) {
    Series& series = history.series.emplace_back();
    series.unit = std::string("s");
    for (std::size_t night = 0; night < nights.size(); ++night)
      series.add({.run = std::uint32_t(night), .estimate = std::exp(mean(nights[night]))},
                 nights[night]);
  }
  return history;
}

/// With compare()'s own parts. Without the level: the variance of earlier runs, and the accepted
/// run. `past`: run_variances() of the history.
inline std::vector<Finding> findings_of(const std::vector<CaseNights>& cases, std::size_t accepted,
                                        const std::vector<RunVariance>& past, bool by_level,
                                        const DecisionRule& rule = default_rule("cuda")) {
  std::vector<Contrast> contrasts;
  std::vector<Finding> findings(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    RunVariance known = past[i];
    if (!by_level) known.center_runs = 0, known.visit_df = 0;
    findings[i].case_id = std::to_string(i);
    findings[i].op = "op" + std::to_string(i % 40);
    findings[i].metric = "gpu_time_cold";
    findings[i].unit = std::string("s");
    findings[i].has_history = known.df > 0;
    findings[i].threshold = std::max(rule.effect_floor, std::expm1(known.floor));
    contrasts.push_back(
        contrast_of(estimate_of(cases[i][accepted]), estimate_of(cases[i].back()), known, true));
    contrasts.back().finding = i;
  }
  judge(contrasts, rule, findings);
  return findings;
}

/// Of findings_of(), in any order.
inline NightCalls calls_in(const std::vector<Finding>& findings, std::size_t slowed) {
  NightCalls calls;
  for (const Finding& finding : findings)
    calls.add(std::stoul(finding.case_id),
              finding.verdict == Verdict::slower || finding.verdict == Verdict::faster, slowed);
  return calls;
}

inline NightCalls judged(const std::vector<CaseNights>& cases, std::size_t accepted,
                         const std::vector<RunVariance>& past, bool by_level, std::size_t slowed,
                         const DecisionRule& rule = default_rule("cuda")) {
  return calls_in(findings_of(cases, accepted, past, by_level, rule), slowed);
}

/// Student's t of the candidate's median visit against those of all earlier nights; Benjamini and
/// Hochberg at 5 %; changes of at least 1 %.
inline NightCalls by_plain_rule(const std::vector<CaseNights>& cases, std::size_t slowed) {
  std::vector<double> changes, p_values;
  for (const CaseNights& nights : cases) {
    std::vector<double> medians;
    for (const NightLogs& night : nights) medians.push_back(median(night));
    const std::span<const double> before = std::span(medians).first(medians.size() - 1);
    changes.push_back(medians.back() - mean(before));
    const double error = standard_deviation(before) * std::sqrt(1 + 1 / double(before.size()));
    p_values.push_back(student_t_two_sided_p(changes.back() / error, double(before.size()) - 1));
  }
  const std::vector<double> adjusted = benjamini_hochberg(p_values);
  NightCalls calls;
  for (std::size_t i = 0; i < cases.size(); ++i)
    calls.add(i, adjusted[i] <= 0.05 && std::abs(changes[i]) >= std::log1p(0.01), slowed);
  return calls;
}

}  // namespace plumbline::simulated
