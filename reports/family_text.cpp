#include "reports/family_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/words.h"
#include "reports/units.h"

namespace plumbline {

std::string family_change_text(const FamilyChange& family) {
  if (family.cases == 0) return "–";
  const double percent = 100 * family.change;
  if (!family.half_width) return signed_percent(percent, 1) + " %";
  const double half_width = 100 * *family.half_width;
  const int decimals =
      std::clamp(decimals_for(std::max(std::abs(percent), half_width), half_width), 0, 2);
  return fmt::format("{} % ± {} %", signed_percent(percent, decimals),
                     percent_digits(half_width, decimals));
}

std::string family_range_text(const FamilyChange& family) {
  if (family.cases < 2) return "";
  return fmt::format("{} to {} %", signed_percent(100 * family.low, 1),
                     signed_percent(100 * family.high, 1));
}

std::string family_share_text(const FamilyChange& family, double steps_s) {
  return family.step_baseline_s > 0 ? share_text(family.step_baseline_s / steps_s) : "";
}

std::string family_added_text(const FamilyChange& family) {
  if (family.step_baseline_s == 0) return "";
  const double added = family.step_added_s();
  return (added > 0 ? "+" : added < 0 ? "−" : "") + quantity_text(std::abs(added), "s");
}

double steps_s(const std::vector<FamilyChange>& families) {
  double sum = 0;
  for (const FamilyChange& family : families) sum += family.step_baseline_s;
  return sum;
}

std::string family_verdicts_text(const FamilyChange& family) {
  std::string text;
  for (const auto& [count, word] :
       {std::pair<std::size_t, std::string_view>{family.broken, "BROKEN"},
        {family.slower, "SLOWER"},
        {family.faster, "FASTER"},
        {family.same, "SAME"},
        {family.others, "not resolved or not judged"}})
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word);
  return text;
}

}  // namespace plumbline
