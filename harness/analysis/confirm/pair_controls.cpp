#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/confirm/controls.h"
#include "analysis/confirm/planting.h"
#include "core/run/case.h"

namespace plumbline {
namespace {

/// Limit of slowdowns of one size that are planted in the pairs of one trial.
constexpr std::size_t kMostPlanted = 200;

CaseKey key_of(const PairedSeries& series) {
  return {std::string(series.suite), std::string(series.case_id)};
}

/// The judged series of a trial, and for each case those that may be slowed down.
struct Family {
  std::vector<PairedSeries> series;
  std::vector<double> floors;
  std::vector<std::vector<std::size_t>> cases;
};

Family family_of(const MeasuredPairs& measured, const auto& may_slow_down) {
  Family family;
  std::map<CaseKey, std::size_t> places;
  for (PairedSeries& series : paired_series(measured.a, measured.b)) {
    if (!is_judged(series.metric)) continue;
    const CaseKey key = key_of(series);
    if (series.unit == "s" && may_slow_down(key)) {
      const auto [place, is_new] = places.try_emplace(key, family.cases.size());
      if (is_new) family.cases.emplace_back();
      family.cases[place->second].push_back(family.series.size());
    }
    family.floors.push_back(measured.trial.floor_of(key));
    family.series.push_back(std::move(series));
  }
  return family;
}

/// Which series come out SLOWER at any look. A series that ended early because it was decided
/// continues by repeating its own pairs: with a slowdown, it would not have ended there.
std::vector<bool> called_slower(std::vector<PairedSeries> series, const std::vector<double>& floors,
                                const PairedRule& rule) {
  for (PairedSeries& one : series) {
    std::vector<double>& differences = one.differences;
    const std::size_t own = differences.size();
    if (own == 0) continue;
    differences.reserve(rule.looks.back());
    while (differences.size() < rule.looks.back())
      differences.push_back(differences[differences.size() - own]);
  }
  std::vector<bool> slower;
  for (const Verdict verdict : verdicts_by_looks(series, floors, rule))
    slower.push_back(verdict == Verdict::slower);
  return slower;
}

std::vector<Detection> planted(Family family, const PairedRule& rule, std::uint64_t seed) {
  std::vector<std::size_t> all(family.cases.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<Detection> rates;
  const auto groups = planting_groups(std::move(all), kMostPlanted, seed);
  for (const double size : kPlantedSizes) {
    Detection& rate = rates.emplace_back(Detection{size});
    for (const std::vector<std::size_t>& group : groups) {
      std::vector<PairedSeries> series = family.series;
      for (const std::size_t c : group)
        for (const std::size_t i : family.cases[c])
          for (double& difference : series[i].differences) difference += std::log1p(size);
      const std::vector<bool> slower = called_slower(std::move(series), family.floors, rule);
      rate.cases += group.size();
      for (const std::size_t c : group)
        rate.seen += std::ranges::any_of(family.cases[c], [&](std::size_t i) { return slower[i]; });
    }
  }
  return rates;
}

}  // namespace

std::map<CaseKey, ControlOutcome> control_outcomes(const MeasuredPairs& control) {
  const PairedRule& rule = control.trial.rule();
  const Family family = family_of(control, [](const CaseKey&) { return false; });
  const std::vector<Verdict> verdicts = verdicts_by_looks(family.series, family.floors, rule);
  std::map<CaseKey, ControlOutcome> outcomes;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (family.series[i].differences.size() < rule.looks.front()) continue;
    ControlOutcome& outcome = outcomes[key_of(family.series[i])];
    outcome.has_alarmed |= verdicts[i] == Verdict::slower || verdicts[i] == Verdict::faster;
    outcome.is_decided &= verdicts[i] != Verdict::unresolved;
  }
  return outcomes;
}

SelfCheck check_pairs(const MeasuredPairs* control, const MeasuredPairs& measured,
                      const std::set<CaseKey>& cases, std::uint64_t seed) {
  const PairedRule& rule = measured.trial.rule();
  SelfCheck check;
  check.controls = fmt::format(
      "the baseline's side against itself; looked at after {} pairs, changes from {:.3g} % at a "
      "rate of {:.3g} %",
      fmt::join(rule.looks, ", "), 100 * rule.effect_floor, 100 * rule.false_discovery_rate);
  if (control) {
    const std::map<CaseKey, ControlOutcome> controls = control_outcomes(*control);
    for (const auto& [key, outcome] : controls) {
      ++check.alarms.cases;
      check.alarms.seen += outcome.has_alarmed;
    }
    const auto counts = [&](const CaseKey& key) { return controls.contains(key); };
    check.confirmed = planted(family_of(*control, counts), rule, seed);
  }
  const std::map<CaseKey, bool> outcomes = measured.trial.outcomes();
  const auto may_slow_down = [&](const CaseKey& key) {
    const auto found = outcomes.find(key);
    return cases.contains(key) && found != outcomes.end() && !found->second;
  };
  add_rates(check.confirmed, planted(family_of(measured, may_slow_down), rule, seed));
  return check;
}

}  // namespace plumbline
