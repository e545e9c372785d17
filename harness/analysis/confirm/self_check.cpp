#include "analysis/confirm/self_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plumbline {
namespace {

/// Share of slowdowns of a size that must be found for it to count as visible.
constexpr double kVisibleShare = 0.8;

/// As a bound from above: rounded up, so that no more is claimed than holds.
std::string below_text(const Detection& rate) {
  const double percent = 100 * rate.bounds().high;
  const double step = percent < 1 ? 0.01 : 0.1;
  return fmt::format("{:.3g} %", std::ceil(percent / step - 1e-9) * step);
}

std::string alarms_text(const SelfMeasurement& measured) {
  const Detection &own = measured.own.alarms, &all = measured.pooled.alarms;
  const std::string& how = measured.own.controls;
  if (own.cases == 0 && all.cases > 0)
    return fmt::format(
        "no control of its own; over {} comparisons {} of {} control{} ({}) raised an alarm: rate "
        "below {} at 95 %",
        measured.comparisons, all.seen, all.cases, all.cases == 1 ? "" : "s",
        how.substr(0, how.find(';')), below_text(all));
  if (own.cases == 0) return "";
  std::string text = fmt::format("{} of {} control{} ({}) raised an alarm: rate below {} at 95 %",
                                 own.seen, own.cases, own.cases == 1 ? "" : "s",
                                 how.substr(0, how.find(';')), below_text(own));
  if (measured.comparisons > 1)
    text += fmt::format(", over {} comparisons {} of {}: below {}", measured.comparisons, all.seen,
                        all.cases, below_text(all));
  return text;
}

const Detection* rate_of(const std::vector<Detection>& rates, double size) {
  const auto place = std::ranges::find(rates, size, &Detection::size);
  return place == rates.end() || place->cases == 0 ? nullptr : &*place;
}

/// How a slowdown of one size was found, stage by stage.
struct Stages {
  const Detection *doubt = nullptr, *found = nullptr;  // the first only where pairs follow a screen

  /// Lower bound of how often it is found, through both.
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
  std::string counts;
  if (stages.doubt)
    counts =
        fmt::format("put in doubt in {} of {}, then ", stages.doubt->seen, stages.doubt->cases);
  counts +=
      fmt::format("found in {} of {} cases, so at least {:.0f} % of the time", stages.found->seen,
                  stages.found->cases, std::floor(100 * stages.at_least()));
  if (visible > 0)
    return fmt::format(
        "smallest visible slowdown {:.2g} %{} (planted: {})", 100 * size,
        check.confirmed.empty() ? " where a twentieth of the cases slow down by it" : "", counts);
  return fmt::format("no smallest visible slowdown can be named ({:.2g} % planted: {})", 100 * size,
                     counts);
}

/// Of a case that slows down alone, the largest size that was planted.
std::string alone_text(const SelfCheck& check) {
  if (!check.confirmed.empty() || check.alone.empty()) return "";
  const Detection& largest = *std::ranges::max_element(check.alone, {}, &Detection::size);
  return largest.cases == 0 ? ""
                            : fmt::format("; alone, {:.2g} % is found in {} of {} cases",
                                          100 * largest.size, largest.seen, largest.cases);
}

std::string nights_text(const SelfCheck& check) {
  if (check.nights == 0) return "";
  return fmt::format(
      " Of {} earlier run{}, judged in the same way, {} of {} cases were called changed; real "
      "changes are among them.",
      check.nights, check.nights == 1 ? "" : "s", check.of_nights.seen, check.of_nights.cases);
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
  std::string text = alarms_text(measured);
  if (const std::string visible = visible_text(measured); !visible.empty())
    text += (text.empty() ? "" : "; ") + visible + alone_text(measured.pooled);
  if (!text.empty()) text = "Self-check: " + text + ".";
  return text + nights_text(measured.own);
}

}  // namespace plumbline
