#include "analysis/confirm/self_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/words.h"

namespace plumbline {
namespace {

/// A slowdown counts as visible if at least this share of such slowdowns is found.
constexpr double kVisibleShare = 0.8;
/// A run that finds less than this share misses most of them.
constexpr double kMostMissed = 0.5;

/// An upper bound, rounded up, so that the text claims no more than the counts allow.
std::string below_text(const Detection& rate) {
  const double percent = 100 * rate.bounds().high;
  const double step = percent < 1 ? 0.01 : 0.1;
  return fmt::format("{:.3g} %", std::ceil(percent / step - 1e-9) * step);
}

/// "1 in 40 trials".
std::string trials_text(const Detection& alarms) {
  return fmt::format("{} in {}", alarms.seen, counted(alarms.cases, "trial"));
}

std::string alarms_text(const SelfMeasurement& measured) {
  const Detection &own = measured.own.alarms, &all = measured.pooled.alarms;
  if (all.cases == 0) return "";
  if (own.cases == 0)
    return fmt::format(
        "False alarms: {} without a change, all of earlier comparisons (below {} at 95 % "
        "confidence).",
        trials_text(all), below_text(all));
  std::string text = fmt::format("False alarms: {} without a change (below {} at 95 % confidence)",
                                 trials_text(own), below_text(own));
  if (measured.comparisons > 1)
    text += fmt::format("; over {} comparisons {} in {} (below {})", measured.comparisons, all.seen,
                        all.cases, below_text(all));
  return text + ".";
}

const Detection* rate_of(const std::vector<Detection>& rates, double size) {
  const auto place = std::ranges::find(rates, size, &Detection::size);
  return place == rates.end() || place->cases == 0 ? nullptr : &*place;
}

/// How a slowdown of one size was found, stage by stage.
struct Stages {
  const Detection *doubt = nullptr, *found = nullptr;  // doubt: only if pairs follow a screen

  /// Lower bound of the rate at which both stages find it.
  double at_least() const {
    return (found ? found->bounds().low : 0) * (doubt ? doubt->bounds().low : 1);
  }
};

Stages stages_of(const SelfCheck& check, double size) {
  if (check.confirmed.empty()) return {nullptr, rate_of(check.called, size)};
  return {rate_of(check.in_doubt, size), rate_of(check.confirmed, size)};
}

std::string visible_text(const SelfMeasurement& measured) {
  const SelfCheck& check = measured.pooled;
  const double visible = smallest_visible(check);
  const double size = visible > 0 ? visible : std::ranges::max(kPlantedSizes);
  const Stages stages = stages_of(check, size);
  if (!stages.found) return "";
  const Detection &found = *stages.found, &first = stages.doubt ? *stages.doubt : found;
  if (first.bounds().high < kMostMissed)
    return fmt::format("This run would miss most slowdowns of {:.2g} % (found {} of {}).",
                       100 * size, first.seen, first.cases);
  const double at_least = std::floor(100 * stages.at_least());
  const std::string bound =
      at_least > 0 ? fmt::format(" (at least {:.0f} % of the time)", at_least) : "";
  if (stages.doubt)
    return fmt::format(
        "Planted slowdowns of {:.2g} %: the screen pointed at {} of {}, and pairs then found {} of "
        "{}{}.",
        100 * size, first.seen, counted(first.cases, "case"), found.seen, found.cases, bound);
  return fmt::format("Planted slowdowns of {:.2g} %{} were found in {} of {}{}.", 100 * size,
                     check.confirmed.empty() ? " in a twentieth of the cases" : "", found.seen,
                     counted(found.cases, "case"), bound);
}

/// For cases that slow down alone: the largest planted size.
std::string alone_text(const SelfCheck& check) {
  if (!check.confirmed.empty() || check.alone.empty()) return "";
  const Detection& largest = *std::ranges::max_element(check.alone, {}, &Detection::size);
  return largest.cases == 0
             ? ""
             : fmt::format("Where one case alone slows down by {:.2g} %, it was found in {} of {}.",
                           100 * largest.size, largest.seen, counted(largest.cases, "case"));
}

std::string nights_text(const SelfCheck& check) {
  if (check.nights == 0) return "";
  return fmt::format(
      "Judged in the same way, {} of {} cases of {} earlier run{} were called changed, real "
      "changes "
      "among them.",
      check.of_nights.seen, check.of_nights.cases, check.nights, check.nights == 1 ? "" : "s");
}

}  // namespace

void add_rates(std::vector<Detection>& sum, std::span<const Detection> rates) {
  for (const Detection& rate : rates) {
    const auto place = std::ranges::find(sum, rate.size, &Detection::size);
    if (place == sum.end()) {
      sum.push_back(rate);
      continue;
    }
    place->seen += rate.seen;
    place->cases += rate.cases;
  }
}

SelfMeasurement pooled(SelfCheck own, std::span<const SelfCheck> earlier) {
  SelfMeasurement measured{own, std::move(own), 1};
  for (const SelfCheck& one : earlier) {
    if (one.controls != measured.own.controls) continue;
    measured.pooled.alarms.seen += one.alarms.seen;
    measured.pooled.alarms.cases += one.alarms.cases;
    for (const auto rates :
         {&SelfCheck::called, &SelfCheck::alone, &SelfCheck::in_doubt, &SelfCheck::confirmed})
      add_rates(measured.pooled.*rates, one.*rates);
    ++measured.comparisons;
  }
  return measured;
}

double smallest_visible(const SelfCheck& check) {
  for (const double size : kPlantedSizes)
    if (stages_of(check, size).at_least() >= kVisibleShare) return size;
  return 0;
}

std::string self_check_text(const SelfMeasurement& measured) {
  std::string text;
  for (const std::string& sentence : {alarms_text(measured), visible_text(measured),
                                      alone_text(measured.pooled), nights_text(measured.own)})
    if (!sentence.empty()) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

}  // namespace plumbline
