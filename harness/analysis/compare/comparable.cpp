#include "analysis/compare/comparable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/compare/imported_runs.h"
#include "core/error.h"

namespace plumbline {
namespace {

/// If one of these entries differs, the numbers are not of the same device.
constexpr std::string_view kMustMatch[]{"device_kind", "device_class", "device_units"};

std::string quoted(const std::string& text) { return text.empty() ? "unknown" : "'" + text + "'"; }

}  // namespace

void require_rule(const DecisionRule& rule) {
  const auto require = [](bool good, const char* name, double value, const char* allowed) {
    if (!good)
      throw Error(fmt::format("decision rule: {} is {}, allowed is {}", name, value, allowed));
  };
  require(rule.confidence > 0 && rule.confidence < 1, "confidence", rule.confidence, "(0, 1)");
  require(rule.false_discovery_rate > 0 && rule.false_discovery_rate < 1, "false_discovery_rate",
          rule.false_discovery_rate, "(0, 1)");
  require(rule.margin > 0, "margin", rule.margin, "above 0");
  require(rule.effect_floor >= 0, "effect_floor", rule.effect_floor, "at least 0");
  require(rule.run_sd >= 0, "run_sd", rule.run_sd, "at least 0");
  require(rule.control_share >= 0 && rule.control_share <= 1, "control_share", rule.control_share,
          "[0, 1]");
  require(rule.shift_floor >= 0, "shift_floor", rule.shift_floor, "at least 0");
}

void require_options(const CompareOptions& options) {
  for (const auto& [key, threshold] : options.thresholds)
    if (!(threshold > 0) || !std::isfinite(threshold))
      throw Error(fmt::format("threshold of {} in suite {} is {}, it must be above 0", key.case_id,
                              key.suite, threshold));
}

std::string incomparable(const RunInfo& baseline, const RunInfo& candidate) {
  for (const EnvironmentField& field : environment_fields()) {
    if (std::ranges::find(kMustMatch, field.name) == std::end(kMustMatch)) continue;
    const std::string old_value = field.text(baseline.environment);
    const std::string new_value = field.text(candidate.environment);
    if (old_value == new_value && (!old_value.empty() || may_lack(field, baseline, candidate)))
      continue;
    const bool is_unknown = old_value.empty() || new_value.empty();
    return fmt::format(
        "{}: the baseline has {}, this run {}{}", field.label, quoted(old_value), quoted(new_value),
        is_unknown ? fmt::format("; run.json tells it as environment.{}", field.name) : "");
  }
  if (baseline.measurement_revision != candidate.measurement_revision)
    return fmt::format(
        "the meaning of the metrics changed: the baseline has revision {}, this run {}",
        baseline.measurement_revision, candidate.measurement_revision);
  return "";
}

std::optional<Better> direction_of(const RunInfo& baseline, const RunInfo& candidate,
                                   std::string_view metric, std::string_view unit) {
  const auto said = better_of(candidate, metric, unit);
  return said ? said : better_of(baseline, metric, unit);
}

std::string without_direction(const RunInfo& baseline, const RunInfo& candidate,
                              std::string_view metric, std::string_view unit) {
  const auto now = direction_of(baseline, candidate, metric, unit);
  if (!now) return unknown_direction_text(metric);
  const Better before = better_of(baseline, metric, unit).value_or(*now);
  if (before == *now) return "";
  return fmt::format("the baseline says that {} of it is better, this run that {} is",
                     name_of(before), name_of(*now));
}

}  // namespace plumbline
