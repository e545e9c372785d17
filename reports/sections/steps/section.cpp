/// What a step of the captured program gained or lost, and how much of it the cases cover.
#include "reports/section.h"

#include <algorithm>

#include "reports/cells.h"
#include "reports/step_text.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostParts = 5;

/// A link to the case in the page's list; null if it is not there.
PageData link_to(const ReportModel& model, const StepTime& step, const StepPart& part) {
  const auto is_meant = [&](const CaseView& view) {
    return view.suite == step.suite && view.id == part.case_id;
  };
  const auto found = std::ranges::find_if(model.cases, is_meant);
  return found == model.cases.end() ? PageData(nullptr) : case_link(*found);
}

PageData part_data(const ReportModel& model, const StepTime& step, const StepPart& part) {
  const bool is_compared = model.input.comparison != nullptr;
  const double difference = part.candidate_s - part.baseline_s;
  return {{"case", link_to(model, step, part)},
          {"calls", number_text(part.calls, part.calls == double(long(part.calls)) ? 0 : 2)},
          {"time", quantity_text(part.candidate_s, "s")},
          {"share", share_text(part.candidate_s / step.candidate_s)},
          {"difference",
           is_compared ? (difference > 0 ? "+" : "") + quantity_text(difference, "s") : ""}};
}

PageData step_data(const ReportModel& model, const StepTime& step) {
  const bool is_compared = model.input.comparison != nullptr;
  PageData parts = PageData::array();
  if (step.phase.empty())
    for (std::size_t i = 0; i < std::min(kMostParts, step.parts.size()); ++i)
      parts.push_back(part_data(model, step, step.parts[i]));
  const std::size_t left = step.parts.size() - parts.size();
  return {{"sentence", is_compared ? step_sentence(step) : step_name(step)},
          {"coverage", coverage_sentence(step)},
          {"is_compared", is_compared},
          {"has_parts", !parts.empty()},
          {"parts", std::move(parts)},
          {"left", step.phase.empty() && left > 0 ? std::to_string(left) : ""}};
}

PageData content(const ReportModel& model) {
  const ReportInput& input = model.input;
  const std::vector<StepTime> steps =
      input.comparison ? step_times(*input.comparison) : step_times(*input.candidate);
  if (steps.empty()) return nullptr;
  PageData shown = PageData::array();
  for (const StepTime& step : steps) shown.push_back(step_data(model, step));
  return {{"steps", std::move(shown)}};
}

}  // namespace

Section steps_section() { return {"steps", 18, content, nullptr}; }

}  // namespace plumbline
