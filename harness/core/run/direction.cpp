#include "core/run/direction.h"

#include <algorithm>

#include "core/run/metric.h"

namespace plumbline {
namespace {

constexpr std::string_view kLessIsBetter[]{"s", "B", "J"};

}  // namespace

std::optional<Better> better_named(std::string_view name) {
  const auto found = std::ranges::find(kBetterNames, name);
  if (found == kBetterNames.end()) return std::nullopt;
  return static_cast<Better>(found - kBetterNames.begin());
}

std::optional<Better> better_of(const RunInfo& info, std::string_view metric,
                                std::string_view unit) {
  if (const Metric* const known = find_metric(metric))
    return known->is_more_better ? Better::more : Better::less;
  if (const auto said = info.better.find(std::string(metric)); said != info.better.end())
    return better_named(said->second);
  if (std::ranges::find(kLessIsBetter, unit) != std::end(kLessIsBetter)) return Better::less;
  return std::nullopt;
}

std::string unknown_direction_text(std::string_view metric) {
  const std::string name(metric);
  return "it is unknown whether more or less of '" + name +
         "' is better; set it in the mapping (metrics: {" + name +
         ": {better: more}}) or in run.json (\"better\": {\"" + name + "\": \"more\"})";
}

}  // namespace plumbline
