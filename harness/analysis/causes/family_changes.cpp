#include "analysis/causes/family_changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/causes/case_times.h"
#include "analysis/causes/step_times.h"
#include "stats/quadrature.h"

namespace plumbline {
namespace {

/// Entries of the environment that are libraries with ops.
constexpr std::array<std::string_view, 5> kLibraries{"libtorch", "cudnn", "cublas", "nccl",
                                                     "triton"};

struct Sum {
  FamilyChange family;
  double logs = 0;
  std::optional<double> error = 0.0, step_error_s = 0.0;  // of the sum of logs, and of the steps
};

/// Calls of cases in all steps together.
std::map<CaseKey, double> calls_in_steps(const Comparison& comparison) {
  std::map<CaseKey, double> calls;
  for (const StepTime& step : step_times(comparison))
    if (step.phase.empty())
      for (const StepPart& part : step.parts) calls[{step.suite, part.case_id}] += part.calls;
  return calls;
}

void add_calls(const CaseTime& time, double calls, Sum& sum) {
  sum.family.step_baseline_s += calls * time.baseline_s;
  sum.family.step_candidate_s += calls * time.candidate_s;
  if (!time.half_width_s || !sum.step_error_s)
    sum.step_error_s.reset();
  else
    sum.step_error_s = in_quadrature(*sum.step_error_s, calls * *time.half_width_s);
}

void add_time(const CaseTime& time, Sum& sum) {
  FamilyChange& family = sum.family;
  const double change = time.change();
  family.low = family.cases == 0 ? change : std::min(family.low, change);
  family.high = family.cases == 0 ? change : std::max(family.high, change);
  ++family.cases;
  sum.logs += std::log1p(change);
  if (!time.half_width_s || !sum.error)
    sum.error.reset();
  else
    sum.error = in_quadrature(*sum.error, *time.half_width_s / time.candidate_s);
}

std::size_t& count_of(Verdict verdict, FamilyChange& family) {
  using enum Verdict;
  if (verdict == slower || verdict == looks_slower) return family.slower;
  if (verdict == faster || verdict == looks_faster) return family.faster;
  if (verdict == broken) return family.broken;
  return verdict == same ? family.same : family.others;
}

FamilyChange whole(Sum sum) {
  FamilyChange& family = sum.family;
  if (family.cases == 0) return family;
  if (family.step_baseline_s > 0) {
    family.change = family.step_added_s() / family.step_baseline_s;
    if (sum.step_error_s) family.half_width = *sum.step_error_s / family.step_baseline_s;
    return family;
  }
  const double mean = sum.logs / double(family.cases);
  family.change = std::expm1(mean);
  if (sum.error) family.half_width = std::exp(mean) * *sum.error / double(family.cases);
  return family;
}

}  // namespace

std::vector<FamilyChange> family_changes(const Comparison& comparison) {
  const CaseTimes times = case_times(comparison);
  const std::map<CaseKey, double> calls = calls_in_steps(comparison);
  std::map<std::pair<std::string, std::string>, Sum> sums;
  for (const Finding* finding : worst_per_case(comparison)) {
    Sum& sum = sums[{finding->op, finding->backend}];
    sum.family.op = finding->op;
    sum.family.backend = finding->backend;
    ++count_of(finding->verdict, sum.family);
    const auto time = times.find({finding->suite, finding->case_id});
    if (time == times.end() || !(time->second.change() > -1)) continue;
    add_time(time->second, sum);
    if (const auto called = calls.find(time->first); called != calls.end())
      add_calls(time->second, called->second, sum);
  }
  std::vector<FamilyChange> families;
  for (auto& [name, sum] : sums) families.push_back(whole(std::move(sum)));
  std::ranges::stable_sort(families, std::greater{}, [](const FamilyChange& family) {
    return std::tuple(family.broken, std::abs(family.step_added_s()),
                      family.slower + family.faster > 0, std::abs(family.change));
  });
  return families;
}

bool compares_libraries(const Comparison& comparison) {
  return comparison.is_ab &&
         std::ranges::any_of(comparison.environment_changes, [](const EnvironmentChange& change) {
           return std::ranges::count(kLibraries, change.name) > 0;
         });
}

}  // namespace plumbline
