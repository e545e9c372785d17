#include "reports/sections/sweeps/rivals.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "core/op/plan_choice.h"
#include "core/run/direction.h"
#include "reports/cells.h"

namespace plumbline {
namespace {

constexpr double kConfidence = 0.99;

/// What a row and its rivals have in common.
std::string problem_of(const CaseView& view) {
  const CaseName name = name_of_case(view.id);
  std::string problem =
      std::string(view.suite) + '\n' + std::string(view.metric) + '\n' + name.name;
  for (const auto& [key, value] : name.params)
    if (key != plan_param().name) problem += '\n' + key + '=' + value;
  return problem;
}

struct Problem {
  std::vector<std::size_t> rows;
  bool is_shared = false;  // by two backends
};

/// All best rows of a problem are the same row, so that its estimate is made once.
void add_rivals(const ReportModel& model, const Problem& problem, std::vector<Rival>& rivals) {
  std::vector<Estimate> estimates;
  for (const std::size_t row : problem.rows)
    estimates.push_back(estimate(model.cases[row].candidate.visits));
  const CaseView& first = model.cases[problem.rows.front()];
  const auto better = better_of(model.input.candidate->info, first.metric, first.unit);
  if (!better) return;
  const bool more = *better == Better::more;
  const auto best = std::ranges::min_element(estimates, [&](const Estimate& a, const Estimate& b) {
    return more ? a.value > b.value : a.value < b.value;
  });
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const auto times = more ? ratio_of(*best, estimates[i], kConfidence)
                            : ratio_of(estimates[i], *best, kConfidence);
    if (times)
      rivals.push_back({problem.rows[i], problem.rows[std::size_t(best - estimates.begin())],
                        &*best == &estimates[i] ? Ratio{} : *times});
  }
}

}  // namespace

std::vector<Rival> make_rivals(const ReportModel& model) {
  std::unordered_map<std::string, Problem> problems;
  for (std::size_t i = 0; i < model.cases.size(); ++i) {
    const CaseView& view = model.cases[i];
    if (view.metric.empty() || view.candidate.visits.empty() || !(view.candidate.estimate > 0.0))
      continue;
    Problem& problem = problems[problem_of(view)];
    problem.is_shared |=
        !problem.rows.empty() && model.cases[problem.rows.front()].backend != view.backend;
    problem.rows.push_back(i);
  }
  std::vector<Rival> rivals;
  for (const auto& [name, problem] : problems)
    if (problem.is_shared) add_rivals(model, problem, rivals);
  std::ranges::sort(rivals, {}, &Rival::row);
  return rivals;
}

}  // namespace plumbline
