#include "analysis/confirm/controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "analysis/confirm/planting.h"
#include "core/parallel.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// Limits: contrasts that a self-check judges again, and slowdowns of one size that it plants.
constexpr std::size_t kMostContrasts = 20'000, kMostPlanted = 400;
/// Limits for cases that are slowed down alone. Each one needs a comparison of its own: many
/// contrasts allow few such cases, and more than 10,000 allow none.
constexpr std::size_t kMostAlone = 40, kContrastsAlone = 10'000;

CaseKey key_of(const Finding& finding) { return {finding.suite, finding.case_id}; }

bool is_changed(Verdict verdict) {
  return verdict == Verdict::slower || verdict == Verdict::faster;
}

/// The input of judge() for some findings, and for each of their cases its contrasts in times.
struct Part {
  std::vector<Contrast> contrasts, halves;
  std::vector<Finding> findings;
  std::vector<std::vector<std::size_t>> cases;  // the contrasts of each case
  std::vector<bool> has_changed;                // for each case: SLOWER or FASTER
};

Part part_of(const std::vector<Contrast>& contrasts, const std::vector<Contrast>& halves,
             const std::vector<Finding>& findings, std::uint64_t seed) {
  Part part;
  std::map<CaseKey, std::size_t> places;
  const double share = double(kMostContrasts) / double(contrasts.size());
  const std::size_t expected = std::min(contrasts.size(), kMostContrasts);
  part.findings.reserve(expected + expected / 20);
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    const Finding& finding = findings[contrasts[i].finding];
    const CaseKey key = key_of(finding);
    if (share < 1 && draw(key, seed) >= share) continue;
    Finding copy;
    copy.suite = finding.suite;
    copy.case_id = finding.case_id;
    copy.op = finding.op;
    copy.backend = finding.backend;
    copy.metric = finding.metric;
    copy.unit = finding.unit;
    copy.threshold = finding.threshold;
    part.contrasts.push_back(contrasts[i]);
    part.halves.push_back(halves[i]);
    part.contrasts.back().finding = part.halves.back().finding = part.findings.size();
    if (finding.unit == "s") {
      const auto [place, is_new] = places.try_emplace(key, part.cases.size());
      if (is_new) {
        part.cases.emplace_back();
        part.has_changed.push_back(false);
      }
      part.cases[place->second].push_back(part.contrasts.size() - 1);
      if (is_changed(finding.verdict)) part.has_changed[place->second] = true;
    }
    part.findings.push_back(std::move(copy));
  }
  return part;
}

/// How many of the cases have a finding that `fits`.
std::size_t count_cases(const Part& part, const std::vector<std::size_t>& cases, const auto& fits) {
  std::size_t count = 0;
  for (const std::size_t c : cases)
    count +=
        std::ranges::any_of(part.cases[c], [&](std::size_t i) { return fits(part.findings[i]); });
  return count;
}

Detection false_alarms(Part& part, DecisionRule rule) {
  rule.run_sd = 0;  // both halves are of the same runs
  judge(part.halves, rule, part.findings);
  std::vector<std::size_t> all(part.cases.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return {0, count_cases(part, all, [](const Finding& f) { return is_changed(f.verdict); }),
          all.size()};
}

void plant(Part& part, const std::vector<std::size_t>& cases, double log_change) {
  for (const std::size_t c : cases)
    for (const std::size_t i : part.cases[c]) part.contrasts[i].change += log_change;
}

/// Plants slowdowns of one size, a fraction, in one group after another. Counts the cases that are
/// called slower and those that are put in doubt.
void plant_all(Part part, const std::vector<std::vector<std::size_t>>& groups, double size,
               const DecisionRule& rule, Detection& called, Detection& in_doubt) {
  const double doubt = ScreenRule{}.level;
  called.size = in_doubt.size = size;
  for (const std::vector<std::size_t>& group : groups) {
    plant(part, group, std::log1p(size));
    judge(part.contrasts, rule, part.findings);
    plant(part, group, -std::log1p(size));
    called.cases += group.size();
    in_doubt.cases += group.size();
    called.seen +=
        count_cases(part, group, [](const Finding& f) { return f.verdict == Verdict::slower; });
    in_doubt.seen += count_cases(part, group, [&](const Finding& f) { return f.p_value <= doubt; });
  }
}

/// As plant_all(), but one case at a time, which is harder to find in a family of that size.
Detection plant_alone(Part part, const std::vector<std::size_t>& cases, double size,
                      const DecisionRule& rule) {
  Detection called{size, 0, cases.size()};
  for (const std::size_t c : cases) {
    plant(part, {c}, std::log1p(size));
    judge(part.contrasts, rule, part.findings);
    plant(part, {c}, -std::log1p(size));
    called.seen +=
        count_cases(part, {c}, [](const Finding& f) { return f.verdict == Verdict::slower; });
  }
  return called;
}

/// As many of the groups' cases as time allows; none if a group is a single case.
std::vector<std::size_t> some_of(const std::vector<std::vector<std::size_t>>& groups,
                                 std::size_t contrasts) {
  const std::size_t most =
      std::min(kContrastsAlone / std::max<std::size_t>(contrasts, 1), kMostAlone);
  std::vector<std::size_t> some;
  if (groups.empty() || groups.front().size() < 2) return some;
  for (const std::vector<std::size_t>& group : groups)
    for (const std::size_t c : group)
      if (some.size() < most) some.push_back(c);
  return some;
}

}  // namespace

Contrast halves_of(const Contrast& contrast, std::span<const double> baseline,
                   std::span<const double> candidate, std::uint64_t seed) {
  Contrast control = contrast;
  control.history_variance = control.history_df = control.df = 0;
  control.is_of_machines = false;
  control.own_variance = control.own_df = 0;
  if (baseline.size() < 2 || candidate.size() < 2) return control;
  // Least squares with a level for each run and one for the halves. The runs' differences of halves
  // are weighted by their precision; the noise is what remains of the scatter within runs.
  std::minstd_rand random(static_cast<std::minstd_rand::result_type>(seed));  // few are drawn
  double precision = 0, sum = 0, scatter = 0;
  for (const std::span<const double> logs : {baseline, candidate}) {
    std::vector<double> visits(logs.begin(), logs.end());
    std::ranges::shuffle(visits, random);
    const std::size_t half = (visits.size() + random() % 2) / 2;
    const std::span<const double> all(visits);
    const double weight = double(half) * double(visits.size() - half) / double(visits.size());
    precision += weight;
    sum += weight * (mean(all.first(half)) - mean(all.subspan(half)));
    scatter += variance(all) * double(visits.size() - 1);
  }
  control.change = sum / precision;
  constexpr double kRounding = 1e-12;  // numerical error in the means of equal visits
  if (std::abs(control.change) < kRounding) control.change = 0;
  control.inverse_visits = 1 / precision;
  control.df = double(baseline.size() + candidate.size()) - 3;
  control.variance =
      std::max(0.0, scatter - control.change * control.change * precision) / control.df;
  return control;
}

SelfCheck check_screen(const std::vector<Contrast>& contrasts, const std::vector<Contrast>& halves,
                       const DecisionRule& rule, const std::vector<Finding>& findings,
                       std::uint64_t seed) {
  SelfCheck check;
  Part part = part_of(contrasts, halves, findings, seed);
  if (part.cases.empty()) return check;
  check.controls = fmt::format(
      "visits of both runs split at random; changes from {:.3g} % at a rate of {:.3g} %",
      100 * rule.effect_floor, 100 * rule.false_discovery_rate);
  check.alarms = false_alarms(part, rule);
  part.halves = std::vector<Contrast>();  // not used any more, and each thread copies the part
  std::vector<std::size_t> unchanged;
  for (std::size_t c = 0; c < part.cases.size(); ++c)
    if (!part.has_changed[c]) unchanged.push_back(c);
  const auto groups = planting_groups(std::move(unchanged), kMostPlanted, seed);
  constexpr std::size_t sizes = std::size(kPlantedSizes);
  const std::vector<std::size_t> alone = some_of(groups, part.contrasts.size());
  check.called.resize(sizes);
  if (!alone.empty())
    check.alone.push_back(plant_alone(part, alone, std::ranges::max(kPlantedSizes), rule));
  check.in_doubt.resize(sizes);
  for_each_index(sizes, [&](std::size_t i) {
    plant_all(part, groups, kPlantedSizes[i], rule, check.called[i], check.in_doubt[i]);
  });
  return check;
}

}  // namespace plumbline
