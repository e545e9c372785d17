#include "reports/step_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/words.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr double kWidest = 1000;  // percent of an interval's half; a wider one says nothing

/// Chosen so that the last digit matches the interval's size.
int decimals_of_change(const StepTime& step, double half_width_percent) {
  const double percent = 100 * std::abs(step.change());
  return std::clamp(decimals_for(std::max(percent, half_width_percent), half_width_percent), 0, 2);
}

}  // namespace

std::string step_name(const StepTime& step) {
  if (!step.phase.empty()) return step.phase;
  const bool is_word_enough = step.step == "program" || step.step == "step";
  return is_word_enough ? step.step : step.step + " step";
}

std::string step_change_text(const StepTime& step) {
  if (!step.half_width_s) return signed_percent(100 * step.change(), 1) + " %";
  const double half_width = 100 * *step.half_width_s / step.baseline_s;
  const int decimals = decimals_of_change(step, half_width);
  const std::string change = signed_percent(100 * step.change(), decimals);
  if (half_width > kWidest) return change + " % ± over " + percent_digits(kWidest, 0) + " %";
  return fmt::format("{} % ± {} %", change, percent_digits(half_width, decimals));
}

std::string largest_part_text(const StepTime& step) {
  if (!step.has_changed() || step.parts.empty()) return "";
  const StepPart& part = step.parts.front();
  const double share = (part.candidate_s - part.baseline_s) / (step.candidate_s - step.baseline_s);
  if (share <= 0) return "";
  const std::string size =
      share >= 0.995 ? "all" : percent_digits(100 * share, 0) + " %";  // more than all: other parts
                                                                       // moved the other way
  return fmt::format("{} of it in {}", size, part.case_id);
}

std::string step_sentence(const StepTime& step) {
  const std::string part = largest_part_text(step);
  return step_name(step) + " " + step_change_text(step) + (part.empty() ? "" : ", " + part);
}

std::string coverage_sentence(const StepTime& step) {
  const std::size_t cases = step.parts.size();
  std::string text = fmt::format("{} {} {}", counted(cases, "case"), cases == 1 ? "takes" : "take",
                                 quantity_text(step.baseline_s, "s"));
  if (!std::isnan(step.measured_s))
    text += fmt::format(": {} % of the {} {}", percent_digits(100 * step.coverage(), 0),
                        quantity_text(step.measured_s, "s"),
                        step.is_busy_time ? "for which the program's GPU worked in a step"
                                          : "that the program took for a step");
  if (step.untimed > 0)
    text += fmt::format("; {} {} no time", counted(step.untimed, "case"),
                        step.untimed == 1 ? "has" : "have");
  return text;
}

}  // namespace plumbline
