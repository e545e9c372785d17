#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/confirm/controls.h"
#include "analysis/confirm/planting.h"
#include "core/run/case.h"

namespace plumbline {
namespace {

/// Slowdowns of a size that are planted in the pairs of one trial.
constexpr std::size_t kMostPlanted = 200;

CaseKey key_of(const PairedSeries& series) {
  return {std::string(series.suite), std::string(series.case_id)};
}

/// The series of a trial that are judged, and those of each case that may be slowed down.
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

/// The series as it is after so many pairs. Where it ended before, because it was decided, it goes
/// on with its own pairs again: slowed down, it would not have ended there.
PairedSeries after_pairs(const PairedSeries& series, std::size_t pairs) {
  PairedSeries now = series;
  now.differences.resize(pairs);
  for (std::size_t i = series.differences.size(); i < pairs; ++i)
    now.differences[i] = now.differences[i - series.differences.size()];
  return now;
}

/// Which of the series come out SLOWER at any look.
std::vector<bool> called_slower(const std::vector<PairedSeries>& series,
                                const std::vector<double>& floors, const PairedRule& rule) {
  std::vector<bool> slower(series.size());
  std::vector<std::size_t> open(series.size());
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
  std::erase_if(open, [&](std::size_t i) { return series[i].differences.empty(); });
  for (std::size_t look = 0; look < rule.looks.size(); ++look) {
    std::vector<PairedSeries> judged;
    std::vector<double> their_floors;
    for (const std::size_t i : open) {
      judged.push_back(after_pairs(series[i], rule.looks[look]));
      their_floors.push_back(floors[i]);
    }
    if (judged.empty()) break;
    const std::vector<PairedJudgement> found = judge_pairs(judged, their_floors, rule, look);
    std::vector<std::size_t> left;
    for (std::size_t k = 0; k < open.size(); ++k) {
      slower[open[k]] = found[k].verdict == Verdict::slower;
      if (found[k].verdict == Verdict::unresolved) left.push_back(open[k]);
    }
    open = std::move(left);
  }
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
      const std::vector<bool> slower = called_slower(series, family.floors, rule);
      rate.cases += group.size();
      for (const std::size_t c : group)
        rate.seen += std::ranges::any_of(family.cases[c], [&](std::size_t i) { return slower[i]; });
    }
  }
  return rates;
}

}  // namespace

SelfCheck check_pairs(const MeasuredPairs* control, const MeasuredPairs& measured,
                      const std::set<CaseKey>& cases, std::uint64_t seed) {
  const PairedRule& rule = measured.trial.rule();
  const std::size_t needed = rule.looks.front();
  SelfCheck check;
  check.controls = fmt::format(
      "the baseline's side beside itself; looked at after {} pairs, changes from {:.3g} % at a "
      "rate of {:.3g} %",
      fmt::join(rule.looks, ", "), 100 * rule.effect_floor, 100 * rule.false_discovery_rate);
  if (control) {
    const std::map<CaseKey, bool> controls = control->trial.outcomes(needed);
    for (const auto& [key, has_changed] : controls) {
      ++check.alarms.cases;
      check.alarms.seen += has_changed;
    }
    const auto counts = [&](const CaseKey& key) { return controls.contains(key); };
    check.confirmed = planted(family_of(*control, counts), rule, seed);
  }
  const std::map<CaseKey, bool> outcomes = measured.trial.outcomes(needed);
  const auto may_slow_down = [&](const CaseKey& key) {
    const auto found = outcomes.find(key);
    return cases.contains(key) && found != outcomes.end() && !found->second;
  };
  add_rates(check.confirmed, planted(family_of(measured, may_slow_down), rule, seed));
  return check;
}

}  // namespace plumbline
